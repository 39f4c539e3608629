// F(m, r): the size of Winograd's tiles and the points that they are interpolated at, and the matrices that follow.
// Both are options of the row; what is chosen here is in the run's name.
#include <algorithm>
#include <array>
#include <cstdio>

#include "algorithms/interface/registry.h"
#include "algorithms/winograd/nested.h"
#include "kernels/winograd/output_tile.h"
#include "viewer/panels/numerics/numerics.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// The chosen run of Winograd: the one in front, or the first; −1 for none.
int winograd_run(const NumericsTable& table) {
  const auto is_winograd = [&](std::size_t run) {
    const Algorithm& row = *parse_run(table.runs[run]).algorithm;
    return std::ranges::find(row.options, "points", &Option::id) != row.options.end();
  };
  if (is_winograd(table.run)) return static_cast<int>(table.run);
  for (std::size_t run = 0; run < table.runs.size(); ++run)
    if (is_winograd(run)) return static_cast<int>(run);
  return -1;
}

// The same state with other options of that run, which comes to the front.
State with_options(const State& state, const std::string& run, const Algorithm& row, const OptionSet& options) {
  State next = state;
  const std::string name = run_name(row, options);
  if (std::ranges::find(next.runs, name) == next.runs.end()) std::ranges::replace(next.runs, run, name);
  next.numerics.run = name;
  return next;
}

// The points as a run's name has them, with nothing but commas between.
std::string in_a_name(const std::string& text) {
  const auto points = parse_points(text);
  if (!points) return text;
  std::string list;
  for (const Rational& point : *points) list += (list.empty() ? "" : ",") + point.text();
  return list;
}

// What a user is typing, and why the last of it could not be taken.
struct PointsEditor {
  std::array<char, 256> text{};
  std::string of;  // the run that it is the text of
  std::string complaint;
};

void edit_points(Scene& scene, const std::string& run, const Run& parsed, const std::string& points) {
  auto& editor = scene.kept.get<PointsEditor>("points");
  if (editor.of != run) {
    editor.of = run;
    editor.complaint.clear();
    std::snprintf(editor.text.data(), editor.text.size(), "%s", points.c_str());
  }
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.55f);
  ImGui::InputText("points", editor.text.data(), editor.text.size());
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  // Not over the complaint, which stands below.
  if (ImGui::IsItemHovered() && editor.complaint.empty())
    ImGui::SetTooltip("auto, or distinct fractions: 0, 1, -1, 1/2; infinity is the last one and implied");
  if (done) {
    const std::string text = editor.text.data();
    const Option& option = *std::ranges::find(parsed.algorithm->options, "points", &Option::id);
    editor.complaint = option.accepts(text);
    if (editor.complaint.empty()) {
      OptionSet options = parsed.options;
      options.set("points", in_a_name(text));
      scene.change(with_options(scene.state, run, *parsed.algorithm, options), "");
    } else {
      editor.complaint = "points: " + text + ", " + editor.complaint;
    }
  }
  if (!editor.complaint.empty()) wrong_text(editor.complaint);
}

// `m` is what stands in the run's name, or what auto chooses.
void choose_m(Scene& scene, const std::string& run, const Run& parsed, const ConvProblem& p, int m) {
  const auto most = static_cast<int>(std::max<std::int64_t>(1, kMaxPoints + 1 - std::max(p.hf(), p.wf())));
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.55f);
  if (ImGui::SliderInt("##m", &m, 1, most, "", ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput)) {
    OptionSet options = parsed.options;
    options.set("m", std::to_string(m));
    options.set("points", "auto");  // a list of points is as long as m + r asks for
    scene.change(with_options(scene.state, run, *parsed.algorithm, options), "m");
  }
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::Text("m = %s",
              parsed.options.is("m", "auto") ? ("auto, " + std::to_string(m)).c_str() : parsed.options["m"].c_str());
}

// Columns of fractions, aligned.
std::string fractions(const FractionMatrix& matrix) {
  std::size_t width = 0;
  for (std::int64_t row = 0; row < matrix.rows(); ++row)
    for (std::int64_t column = 0; column < matrix.columns(); ++column)
      width = std::max(width, matrix(row, column).text().size());
  std::string lines;
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    for (std::int64_t column = 0; column < matrix.columns(); ++column) {
      const std::string value = matrix(row, column).text();
      lines += std::string(width - value.size() + (column > 0 ? 2 : 0), ' ') + value;
    }
    lines += row + 1 < matrix.rows() ? "\n" : "";
  }
  return lines;
}

// Side by side, as many as fit.
void draw_matrices(const CookToom& f) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const auto& [name, matrix] : {std::pair{"Aᵀ", &f.at}, std::pair{"G", &f.g}, std::pair{"Bᵀ", &f.bt}}) {
    const std::string lines = fractions(*matrix);
    ImGui::PushFont(mono());
    const float width = ImGui::CalcTextSize(lines.c_str()).x, gap = 2 * ImGui::GetFontSize();
    ImGui::PopFont();
    if (!first && ImGui::GetItemRectMax().x + gap + width < right) ImGui::SameLine(0, gap);
    first = false;
    ImGui::BeginGroup();
    ImGui::TextDisabled("%s", name);
    ImGui::PushFont(mono());
    ImGui::TextUnformatted(lines.c_str());
    ImGui::PopFont();
    ImGui::EndGroup();
  }
}

// The run in the type in front, or in the first that it computes in: the matrices are the same in each.
Request request_in_some_type(const Run& run, const ConvProblem& p, const Layouts& layouts, DType front) {
  const auto in = [&](DType dtype) { return complete(*run.algorithm, {p, dtype, layouts, run.options}); };
  const Request first = in(front);
  if (run.algorithm->supports(first)) return first;
  for (const DType dtype : kDTypes)
    if (const Request other = in(dtype); run.algorithm->supports(other)) return other;
  return first;
}

}  // namespace

void draw_points(Scene& scene, const NumericsTable& table) {
  const int index = winograd_run(table);
  if (index < 0) return faint_text("F(m, r): no row of Winograd is chosen; they are on the left.");
  const std::string run = table.runs[static_cast<std::size_t>(index)];
  const Run parsed = parse_run(run);
  const ConvProblem& p = table.specimen.problem;
  const Request request = request_in_some_type(parsed, p, scene.state.layouts, kDTypes[table.dtype]);
  const Support support = parsed.algorithm->supports(request);
  const bool on_gpu = parsed.algorithm->unit != Unit::cpu;  // there m may be auto
  const Request chosen = support && on_gpu ? gpu::with_output_tile(request) : request;
  ImGui::TextUnformatted(run.c_str());
  choose_m(scene, run, parsed, p, chosen.options.is("m", "auto") ? 1 : static_cast<int>(chosen.options.integer("m")));
  edit_points(scene, run, parsed, parsed.options["points"]);
  if (!support) {
    wrong_text(support.reason);
    return;
  }
  const Nested f = nest(chosen);
  wrapped_text(f.name() + ", " + f.points() + ": " + counted(f.products(), "product") + " for the " +
               counted(f.rows.m * f.columns.m, "output") + " of a tile, where the sum takes " +
               std::to_string(f.rows.m * f.columns.m * p.taps()));
  draw_matrices(f.h.n() > 1 ? f.h : f.w);
}

}  // namespace convlens::viewer
