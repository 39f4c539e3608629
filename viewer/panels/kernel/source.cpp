// The text of the kernel, to read or to edit: what code the options compile is bright, and the rest grey.
#include <algorithm>

#include "kernels/text.h"
#include "viewer/logic/tour.h"
#include "viewer/panels/kernel/source.h"

namespace convlens::viewer {

namespace {

void draw_legend(const KernelSheet& sheet) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  const auto entry = [&](Code code, const std::string& text) {
    if (!first && ImGui::GetItemRectMax().x + 3 * gap + side + ImGui::CalcTextSize(text.c_str()).x < right)
      ImGui::SameLine(0, 2 * gap);
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.4f}, {at.x + side, at.y + side * 1.4f}, bar(code));
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, gap / 2);
    ImGui::TextDisabled("%s", text.c_str());
  };
  entry(Code::chosen, "compiled by these options");
  entry(Code::left_out, "left out");
  entry(Code::undecided, "undecided");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%d of %d conditions of all its files: by a template's parameter, or a call", sheet.undecided,
                      sheet.decided + sheet.undecided);
}

// Scrolls to the line that was asked for, once.
void scroll(SourceView& view, float height) {
  if (view.wanted_line <= 0) return;
  const float middle = ImGui::GetWindowHeight() / 2;
  ImGui::SetScrollY(std::max(0.0f, static_cast<float>(view.wanted_line) * height - middle));
  view.wanted_line = 0;
}

// The first line that is not as it ships, from 1; 0 for none.
std::int64_t first_change(const KernelSheet& sheet) {
  if (!sheet.edited) return 0;
  const std::string shipped = gpu::kernel_file(sheet.file);
  const std::vector<std::string_view> now = lines_of(sheet.text), before = lines_of(shipped);
  const auto [at, other] = std::ranges::mismatch(now, before);
  return at == now.end() ? 0 : at - now.begin() + 1;
}

// Another text begins where it was edited, or else where the options first choose.
void begin_at_choice(SourceView& view, const KernelSheet& sheet) {
  const std::string now = sheet.run.substr(0, sheet.run.find(':')) + std::to_string(sheet.step) + sheet.file;
  if (view.of == now) return;
  view.of = now;
  view.wanted_line = first_change(sheet);
  if (view.wanted_line > 0) return;
  const auto chosen = [](const Line& line) {
    return std::ranges::any_of(line, [](const Piece& piece) { return piece.code == Code::chosen; });
  };
  const auto first = std::ranges::find_if(sheet.lines, chosen);
  if (first != sheet.lines.end()) view.wanted_line = first - sheet.lines.begin() + 1;
}

void read(const KernelFrame& frame, const SourceLines& lines, const Measures& m) {
  const ImVec2 first = ImGui::GetCursorScreenPos();
  ImGui::Dummy({m.margin + m.text, m.line * static_cast<float>(lines.size())});
  draw_lines(frame, lines, first, m);
}

}  // namespace

void draw_source(Scene& scene, const KernelFrame& frame, float least_height) {
  draw_legend(*frame.sheet);
  auto& view = scene.kept.get<SourceView>("source");
  const float height = std::max(least_height, ImGui::GetContentRegionAvail().y);
  // Long messages above may leave no place for it: the tour then brings it into view.
  const TourStep* const step = tour_step(scene.state);
  if (step != nullptr && std::string_view(step->points_at) == "source" && !ImGui::IsRectVisible({1, 1}))
    ImGui::SetScrollHereY(0);
  if (ImGui::BeginChild("source", {0, height}, true, ImGuiWindowFlags_HorizontalScrollbar)) {
    ImGui::PushFont(mono());
    const SourceLines lines(frame.sheet->text, *frame.sheet);
    const Measures m = measures_of(lines);
    begin_at_choice(view, *frame.sheet);
    scroll(view, m.line);
    view.editing ? edit_source(scene, frame) : read(frame, lines, m);
    ImGui::PopFont();
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
