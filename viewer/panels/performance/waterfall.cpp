// What each option of the live run is worth: all as they are, then one of them changed at a time, as the ablation of
// the im2win paper has it; a table whose bars are a waterfall.
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
bool draw_row(const Bar& bar, double most, float width, float text, int number) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight() * 1.3f, gap = ImGui::GetStyle().ItemSpacing.x;
  const std::string amount = std::isfinite(bar.tflops) ? worker::rate_text(bar.tflops) : "...";
  const double change = bar.whole > 0 ? 100 * (bar.tflops / bar.whole - 1) : std::nan("");
  char share[32] = "";
  if (std::isfinite(change) && bar.tflops != bar.whole) std::snprintf(share, sizeof share, "%+.0f %%", change);
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
  list.PushClipRect(at, {at.x + text, at.y + height}, true);
  list.AddText({at.x, top}, ImGui::GetColorU32(ImGuiCol_Text), bar.text.c_str());
  list.PopClipRect();
  const float left = at.x + text + gap;
  const auto end_of = [&](double tflops) {
    return left + room * static_cast<float>(std::isfinite(tflops) ? tflops / most : 0);
  };
  const float inset = height * 0.15f;
  list.AddRectFilled({left, at.y + inset}, {end_of(bar.tflops), at.y + height - inset}, bar.colour);
  if (bar.whole > bar.tflops)
    list.AddRect({end_of(bar.tflops), at.y + inset}, {end_of(bar.whole), at.y + height - inset}, palette().faint);
  list.AddText({left + room + gap, top}, ImGui::GetColorU32(ImGuiCol_Text), amount.c_str());
  list.AddText({at.x + width - ImGui::CalcTextSize(share).x, top}, palette().faint, share);
  return clicked;
}

}  // namespace

void draw_waterfall(Bench& bench, float width) {
  const std::vector<Change>& all = bench.compared.changes;
  double most = 0;
  for (const Change& change : all)
    if (const Curve* curve = bench.known(change.job)) most = std::max(most, curve->line.tflops());
  const Curve* whole = bench.known(all.front().job);
  const auto name = [](const Change& change) {
    return change.option == nullptr ? "as it is" : change.option->title + " = " + change.value;
  };
  float text = 0;
  for (const Change& change : all) text = std::max(text, ImGui::CalcTextSize(name(change).c_str()).x + 1);
  int number = 0;
  for (const Change& change : all) {
    const Curve* curve = bench.known(change.job);
    const bool itself = change.option == nullptr;
    Bar bar{name(change), change.job.run, curve == nullptr ? std::nan("") : curve->line.tflops(),
            whole == nullptr ? 0 : whole->line.tflops(), itself ? palette().lit : palette().series[0]};
    if (!itself) bar.says += "\n" + change.option->sentence + "\nclick: the live line is of this";
    if (curve != nullptr)
      bar.says += "\n" + std::to_string(curve->line.ms.size()) + " samples" +
                  (curve->made_on.empty() ? "" : ", recorded on " + curve->made_on);
    if (draw_row(bar, most > 0 ? most : 1, width, text, number++) && !itself) {
      OptionSet options = bench.compared.run.options;
      options.set(change.option->id, change.value);
      bench.change_options(options);
    }
  }
  if (all.size() == 1) faint_text("This row has no options that can be switched for this layer.");
}

}  // namespace convlens::viewer
