// The Performance panel: a run measured again and again while its options are switched, what each option is worth, the
// roofline, and sweeps. Numbers are measured by the worker, or recorded and then said to be so.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viewer/panels/panels.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/keys.h"

namespace convlens::viewer {

namespace {

struct Choice {
  const char *id, *title, *sentence;
};
constexpr Choice kCharts[]{
    {"live", "Live", "the line of the live run, what each option is worth, and the peers"},
    {"roofline", "Roofline", "every row of the unit under what the machine can do at most"},
    {"sweep", "Sweep", "one size varied, a curve a row"},
};
constexpr Choice kTimes[]{
    {"call", "whole call", "all that a caller pays: transforms of input, filter and output included"},
    {"kernel", "kernel alone", "what follows packing and transforming x and w"},
    {"cold", "cold caches", "a whole call, with nothing of the layer in the caches"},
};
constexpr Choice kSwept[]{{"n", "N", "the batch size"},
                          {"c_i", "C_i", "channels of the input"},
                          {"c_o", "C_o", "channels of the output"},
                          {"size", "H x W", "of the input"},
                          {"filter", "K", "filter height and width, padded by half of it"},
                          {"stride", "stride", "down and across"}};

// Radio buttons, as many on a line as fit, after what stands there when `goes_on`.
void draw_choices(Scene& scene, std::span<const Choice> choices, std::string PerformanceState::*member, bool goes_on) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (const Choice& choice : choices) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width = ImGui::CalcTextSize(choice.title).x + ImGui::GetFrameHeight() + 2 * style.ItemSpacing.x;
    const bool first = &choice == &choices.front();
    if ((!first || goes_on) && ImGui::GetItemRectMax().x + width + (first ? 2 : 1) * style.ItemSpacing.x < right)
      ImGui::SameLine(0, (first ? 4 : 1) * style.ItemSpacing.x);
    if (ImGui::RadioButton(choice.title, scene.state.performance.*member == choice.id)) {
      State next = scene.state;
      next.performance.*member = choice.id;
      scene.change(std::move(next), "");
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", choice.sentence);
  }
}

// The comparisons of the state, made anew only when it changes: they ask every row whether it computes the layer.
const std::optional<Comparisons>& comparisons_of(Scene& scene) {
  struct Made {
    std::string key;
    std::optional<Comparisons> value;
  };
  Made& made = scene.kept.get<Made>("comparisons");
  const std::string key = std::to_string(scene.version) + to_json(scene.state.performance).dump();
  if (made.key != key) made = {key, comparisons(scene.state)};
  return made.value;
}

// The button that measures what the chart needs, or how far that has come and how it is ended.
void draw_measuring(Bench& bench) {
  Study& study = bench.study;
  const Study::Progress progress = study.progress();
  if (progress.all == 0) {
    if (!study.can_measure()) return;
    const std::vector<worker::Job> jobs = bench.compared.wanted(bench.state().performance.chart);
    if (ImGui::Button(("Measure all " + std::to_string(jobs.size())).c_str())) study.measure(jobs);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Everything that this chart compares; Esc ends it, and keeps what is done");
    return;
  }
  if (study.stalled()) {
    faint_text(std::to_string(progress.all - progress.done) + " measurements wait for another worker");
    ImGui::SameLine();
    if (ImGui::SmallButton("Cancel (Esc)") || pressed(Key::escape)) study.cancel();
    return;
  }
  std::string left = std::to_string(progress.done) + " of " + std::to_string(progress.all);
  if (std::isfinite(progress.seconds_left))
    left += ", " + std::to_string(std::lround(progress.seconds_left)) + " s left";
  const float cancel = ImGui::CalcTextSize("Cancel (Esc)").x + 4 * ImGui::GetStyle().FramePadding.x;
  ImGui::ProgressBar(static_cast<float>(progress.done) / static_cast<float>(progress.all),
                     {std::max(1.0f, ImGui::GetContentRegionAvail().x - cancel), 0}, left.c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", progress.now.c_str());
  ImGui::SameLine();
  if (ImGui::Button("Cancel (Esc)") || pressed(Key::escape)) study.cancel();
}

// The live line beside the waterfall and the roofline where all have room, else under each other.
void draw_live(Bench& bench) {
  const float line = ImGui::GetTextLineHeight(), gap = ImGui::GetStyle().ItemSpacing.x;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const auto bars = static_cast<float>(bench.compared.changes.size()) * line * 1.7f;
  if (space.x < 50 * line) {
    draw_live_plot(bench, {space.x, std::max(10 * line, space.y - bars)});
    return draw_waterfall(bench, space.x);
  }
  const float right = std::max(26 * line, space.x * 0.4f), top = ImGui::GetCursorPosY();
  draw_live_plot(bench, {space.x - right - gap, space.y});
  ImGui::SameLine();
  ImGui::BeginGroup();
  draw_waterfall(bench, right);
  const float rest = space.y - (ImGui::GetCursorPosY() - top);
  if (rest > 8 * line) draw_roofline(bench, {right, rest});
  ImGui::EndGroup();
}

void draw_chart(Bench& bench) {
  const std::string& chart = bench.state().performance.chart;
  ImVec2 space = ImGui::GetContentRegionAvail();
  space.y = std::max(space.y, 12 * ImGui::GetTextLineHeight());
  if (chart == "roofline") {
    faint_text(
        "Filled: FLOPs of the direct sum over the time; hollow: those that are executed. A byte: of x, w, bias, y");
    return draw_roofline(bench, {space.x, std::max(space.y - 1.5f * ImGui::GetTextLineHeight(), 1.0f)});
  }
  if (chart == "sweep") return draw_sweep(bench, space);
  draw_live(bench);
}

void draw(Scene& scene) {
  ImGui::BeginChild("performance");
  draw_choices(scene, kCharts, &PerformanceState::chart, false);
  draw_choices(scene, kTimes, &PerformanceState::timed, true);
  if (scene.state.performance.chart == "sweep") draw_choices(scene, kSwept, &PerformanceState::swept, false);
  if (const auto& compared = comparisons_of(scene)) {
    static const Records none;
    const auto* records = scene.kept.get<Later<const Records*>>("records").get("shipped", scene.painter,
                                                                               [] { return &shipped_records(); });
    Bench bench{scene, *scene.study, records == nullptr ? none : **records, *compared};
    bench.study.show(compared->job);
    draw_run(bench);
    draw_badge(bench);
    draw_measuring(bench);
    draw_chart(bench);
  } else {
    faint_text(scene.state.performance.run + ": no row of this name and with these options");
    if (ImGui::Button("take im2win.cpu")) {
      State next = scene.state;
      next.performance.run = PerformanceState().run;
      scene.change(std::move(next), "");
    }
  }
  ImGui::EndChild();
}

nlohmann::ordered_json row_of(const Bench& bench, const worker::Job& job) {
  const Curve* curve = bench.known(job);
  nlohmann::ordered_json row{{"run", job.run},
                             {"layer", job.layer},
                             {"n", job.spec.n},
                             {"timed", job.kernel_alone ? "kernel" : "call"},
                             {"l2", job.cold_cache ? "cold" : "warm"}};
  const double nan = std::nan("");
  row["tflops"] = curve == nullptr ? nan : curve->line.tflops();
  row["tflops_executed"] = curve == nullptr ? nan : curve->executed_tflops();
  row["median_ms"] = curve == nullptr ? nan : curve->line.median_ms();
  row["samples"] = curve == nullptr ? 0 : curve->line.ms.size();
  row["source"] = curve == nullptr ? "" : curve->made_on.empty() ? "measured" : "recorded on " + curve->made_on;
  return row;
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto compared = comparisons(scene.state);
  if (!compared) return rows;
  Scene own = scene;
  const Bench bench{own, *scene.study, shipped_records(), *compared};
  const std::string& chart = scene.state.performance.chart;
  if (chart == "live")
    for (const Change& change : compared->changes) {
      nlohmann::ordered_json row = row_of(bench, change.job);
      row["option"] = change.option == nullptr ? "" : change.option->id;
      row["value"] = change.value;
      rows.push_back(row);
    }
  if (chart == "live")
    for (const worker::Job& job : compared->peers) rows.push_back(row_of(bench, job));
  if (chart == "roofline")
    for (const worker::Job& job : compared->rows) {
      nlohmann::ordered_json row = row_of(bench, job);
      const Curve* curve = bench.known(job);
      row["flops_per_byte"] = curve == nullptr ? std::nan("") : intensity(curve->line.flops, job);
      row["executed_per_byte"] =
          curve == nullptr || curve->line.executed == 0 ? std::nan("") : intensity(curve->line.executed, job);
      rows.push_back(row);
    }
  if (chart == "sweep")
    for (const Sweep& sweep : compared->sweeps)
      for (std::size_t k = 0; k < sweep.jobs.size(); ++k) {
        nlohmann::ordered_json row = row_of(bench, sweep.jobs[k]);
        row["swept"] = scene.state.performance.swept;
        row["value"] = sweep.values[k];
        rows.push_back(row);
      }
  return rows;
}

}  // namespace

const Curve* Bench::shown() const {
  const Curve* live = study.live();
  const bool refused = live != nullptr && !live->refused.empty();
  const Curve* other = live == nullptr || refused || live->line.ms.empty() ? known(compared.job) : nullptr;
  return other != nullptr ? other : live;
}

void Bench::change_options(const OptionSet& options) const {
  State next = scene.state;
  next.performance.run = run_name(*compared.run.algorithm, options);
  scene.change(std::move(next), "");
}

ImU32 Bench::colour_of(const std::string& run) const {
  if (run == compared.job.run) return palette().lit;
  const auto found = std::ranges::find(compared.rows, run, &worker::Job::run);
  constexpr std::size_t kUnlikeLit[]{0, 2, 3, 4, 6, 7};  // the others are too near to the live run's own
  const auto number = static_cast<std::size_t>(found - compared.rows.begin());
  const ImU32 colour = palette().series[kUnlikeLit[number % std::size(kUnlikeLit)]];
  if (number / std::size(kUnlikeLit) % 2 == 0) return colour;
  // A second round of the colours, half way to the text's.
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(colour), b = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  return ImGui::ColorConvertFloat4ToU32({(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, 1});
}

const char* swept_title(const std::string& swept) {
  const auto found = std::ranges::find(kSwept, swept, &Choice::id);
  return found == std::end(kSwept) ? "" : found->title;
}

Panel performance_panel() {
  return {"performance", "Performance", "What it costs, measured while you switch its options", draw, data};
}

}  // namespace convlens::viewer
