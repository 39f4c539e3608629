// What each option of the live run is worth: all as they are, then one of them changed at a time, as the ablation of
// the im2win paper has it, and other sets of options that were recorded; a table whose bars are a waterfall.
#include <algorithm>
#include <cmath>

#include "viewer/panels/performance/performance.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

struct Bar {
  std::string text, says;  // beside the bar; of the pointer
  double tflops = 0, whole = 0;
  ImU32 colour = 0;
};

// The text on the left, `text` wide, the bar and what it lacks to the whole, the number on its right; true when it is
// clicked.
bool draw_row(const Bar& bar, const char* unknown, double most, float width, float text, int number) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // A long list of options takes several lines.
  const float lines = ImGui::CalcTextSize(bar.text.c_str(), nullptr, false, text).y;
  const float height = lines + ImGui::GetTextLineHeight() * 0.3f, gap = ImGui::GetStyle().ItemSpacing.x;
  const std::string amount = std::isfinite(bar.tflops) ? worker::rate_text(bar.tflops) : unknown;
  const double change = bar.whole > 0 ? 100 * (bar.tflops / bar.whole - 1) : std::nan("");
  std::string share;
  if (std::isfinite(change) && bar.tflops != bar.whole)
    share = (std::lround(change) > 0 ? "+" : "") + std::to_string(std::lround(change)) + " %";
  const float numbers = ImGui::CalcTextSize("000.0 GFLOPS").x + gap + ImGui::CalcTextSize("+000 %").x;
  const float room = std::max(0.0f, width - text - numbers - 2 * gap);
  ImGui::PushID(number);
  const bool clicked = ImGui::InvisibleButton("bar", {width, height});
  ImGui::PopID();
  if (ImGui::IsItemHovered()) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg));
    ImGui::SetTooltip("%s", bar.says.c_str());
  }
  const float top = at.y + (height - ImGui::GetTextLineHeight()) / 2;
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {at.x, at.y + (height - lines) / 2},
               ImGui::GetColorU32(ImGuiCol_Text), bar.text.c_str(), nullptr, text);
  const float left = at.x + text + gap;
  const auto end_of = [&](double tflops) {
    return left + room * static_cast<float>(std::isfinite(tflops) ? tflops / most : 0);
  };
  const float inset = height * 0.15f;
  list.AddRectFilled({left, at.y + inset}, {end_of(bar.tflops), at.y + height - inset}, bar.colour);
  if (bar.whole > bar.tflops)
    list.AddRect({end_of(bar.tflops), at.y + inset}, {end_of(bar.whole), at.y + height - inset}, palette().faint);
  list.AddText({left + room + gap, top}, ImGui::GetColorU32(ImGuiCol_Text), amount.c_str());
  list.AddText({at.x + width - ImGui::CalcTextSize(share.c_str()).x, top}, palette().faint, share.c_str());
  return clicked;
}

}  // namespace

float waterfall_height(const Contributions& all) {
  const float lines = static_cast<float>(all.bars.size()) + (all.missing.empty() ? 0 : 3);
  return lines * ImGui::GetTextLineHeight() * 1.7f;
}

void draw_waterfall(Bench& bench, const Contributions& all, float width) {
  double most = 0;
  float text = 0;
  for (const Contribution& bar : all.bars) {
    if (bar.curve != nullptr) most = std::max(most, bar.curve->rate());
    text = std::max(text, ImGui::CalcTextSize(bar.text.c_str()).x + 1);
  }
  text = std::min(text, 0.45f * width);
  const Curve* whole = all.bars.front().curve;
  int number = 0;
  for (const Contribution& of : all.bars) {
    const bool itself = &of == &all.bars.front();
    // What is recorded is not compared with what is measured here.
    const bool alike = whole != nullptr && of.curve != nullptr && whole->made_on.empty() == of.curve->made_on.empty();
    Bar bar{of.text, of.job.run, of.curve == nullptr ? std::nan("") : of.curve->rate(), alike ? whole->rate() : 0,
            itself ? palette().lit : palette().series[0]};
    if (whole != nullptr && of.curve != nullptr && !alike) bar.text += " (recorded)";
    if (of.option != nullptr) bar.says += "\n" + of.option->sentence;
    if (!itself) bar.says += "\nclick: the live line is of this";
    if (of.curve != nullptr)
      bar.says +=
          "\n" + of.curve->samples_text() + (of.curve->made_on.empty() ? "" : ", recorded on " + of.curve->made_on);
    if (draw_row(bar, bench.why_not.empty() ? "..." : "-", most > 0 ? most : 1, width, text, number++) && !itself)
      bench.change_run(of.job.run);
  }
  if (all.bars.size() == 1 && all.missing.empty())
    faint_text("This row has no options that can be switched for this layer.");
  if (all.missing.empty()) return;
  std::string missing;
  for (const std::string& name : all.missing) missing += (missing.empty() ? "" : "; ") + name;
  // Wrapped at the width of the table, which stands beside the plot.
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextDisabled("Not recorded: %s", missing.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace convlens::viewer
