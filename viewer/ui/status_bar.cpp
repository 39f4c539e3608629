#include "viewer/ui/status_bar.h"

#include <algorithm>

#include "viewer/ui/fitting.h"

namespace convlens::viewer {

namespace {

constexpr const char* kNotAllLit = "not all that belongs to it is lit: it is too much";
constexpr int kLines = 2;

float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

// The sum with its first terms: as many as fit beside its meaning, but not fewer than three for its sake.
std::string fitting(const CellWords& words, float width) {
  constexpr std::size_t kMost = 6, kFewest = 3;
  const float beside = width - width_of(words.meaning) - ImGui::GetStyle().ItemSpacing.x;
  const auto text = [&](std::size_t shown) { return words.sum.text(shown, words.value); };
  std::size_t shown = std::min(kMost, words.sum.first.size());
  while (shown > kFewest && width_of(text(shown)) > beside) --shown;
  while (shown > 1 && width_of(text(shown)) > width) --shown;
  return text(shown);
}

// What is left of the line, of whose right end `taken` belongs to something else.
float room_beside(float taken) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - taken;
  return right - ImGui::GetItemRectMax().x - ImGui::GetStyle().ItemSpacing.x;
}

// Faint, after what stands on the line, where it fits there; false where it does not.
bool add_faint(const std::string& text, float taken = 0) {
  if (width_of(text) > room_beside(taken)) return false;
  ImGui::SameLine();
  ImGui::TextDisabled("%s", text.c_str());
  return true;
}

// As many terms as fit on the line, faint; nothing where not even one does.
void add_combination(const Combination& combination, float taken) {
  std::size_t shown = combination.terms.size();
  while (shown > 0 && width_of(combination.text(shown)) > room_beside(taken)) --shown;
  if (shown > 0) add_faint(combination.text(shown), taken);
}

// What the cell is; where that is too long, by the tensor's letter alone.
std::string cell_text(const CellWords& words, float width) {
  const std::string rest = " " + words.index + " = " + words.value;
  if (width_of(words.name + rest) <= width) return words.name + rest;
  return words.name.substr(words.name.rfind(' ') + 1) + rest;
}

void draw_notice(const std::string& text, ImU32 colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

// The right end of the first line is a notice's, where it fits beside what the cell is, and all of the line where both
// are too long; how the value comes about stays. False where something has been left out.
bool draw_words(const CellWords& words, const std::string& notice, ImU32 colour, bool complete) {
  const float width = ImGui::GetContentRegionAvail().x, gap = 3 * ImGui::GetStyle().ItemSpacing.x;
  const Fitted cell = fitted_formula(cell_text(words, width), width);
  const float taken = notice.empty() ? 0 : width_of(notice) + gap;
  const bool beside = width_of(cell.text) + taken <= width;
  bool address = false;
  if (beside) {
    ImGui::TextUnformatted(cell.text.c_str());
    address = add_faint(words.address, taken);
    add_combination(words.combination, taken);
    if (!notice.empty()) ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width_of(notice));
  }
  if (!notice.empty()) draw_notice(notice, colour);
  const Fitted formula = fitted_formula(words.sum.terms > 0 ? fitting(words, width) : words.meaning, width);
  ImGui::TextUnformatted(formula.text.c_str());
  address = address || add_faint(words.address);
  const bool meaning = words.sum.terms == 0 || add_faint(words.meaning);
  const bool warned = complete || add_faint(kNotAllLit);
  return beside && cell.whole && formula.whole && address && meaning && warned;
}

// All that is known about the cell, of a sum with many terms the first of them.
std::string all_words(const CellWords& words, bool complete) {
  constexpr std::size_t kTerms = 16;
  std::string text = words.name + " " + words.index + " = " + words.value;
  if (words.sum.terms > 0) text += "\n" + words.sum.text(kTerms, words.value);
  for (const std::string& line : {words.meaning, words.address})
    if (!line.empty()) text += "\n" + line;
  return text + (complete ? "" : std::string("\n") + kNotAllLit);
}

void draw_tooltip(const std::string& text) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(std::min(48 * ImGui::GetFontSize(), ImGui::GetMainViewport()->WorkSize.x * 0.9f));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

void StatusBar::draw(Scene& scene, const std::string& notice) {
  ImGui::BeginChild("status", {0, 0}, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  // A state file may have pointed beyond a tensor; what is shown then is the cell that is nearest.
  const std::string wrong = scene.model().wrong_cursor(scene.state.cursor);
  const std::string& says = notice.empty() ? wrong : notice;
  const ImU32 colour = notice.empty() ? palette().wrong : palette().lit;
  const Exhibit* exhibit = scene.pointed == nullptr ? nullptr : scene.model().find(scene.pointed->tensor);
  const CellWords* words = nullptr;
  if (scene.values != nullptr && exhibit != nullptr && exhibit->cells() > 0) {
    std::string key = std::to_string(scene.version) + exhibit->id;
    for (const std::int64_t index : scene.pointed->at) key += "," + std::to_string(index);
    words = words_.get(key, scene.painter,
                       [model = scene.shared_model, values = scene.values, exhibit, at = scene.pointed->at] {
                         return cell_words(*model, *values, *exhibit, at);
                       });
  }
  const float width = ImGui::GetContentRegionAvail().x;
  hovered_ = ImGui::IsWindowHovered();
  if (words != nullptr && width_of(says) <= width) {
    if (!draw_words(*words, says, colour, scene.links.complete) && hovered_)
      draw_tooltip(all_words(*words, scene.links.complete));
  } else if (!says.empty()) {
    const Fitted lines = fitted(says, width, kLines);
    draw_notice(lines.text, colour);
    if (!lines.whole && hovered_) draw_tooltip(says);
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
