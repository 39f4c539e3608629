// Texts in a plot, placed so that none covers another.
#include <algorithm>
#include <cmath>

#include "viewer/ui/plot.h"
#include "viewer/ui/theme.h"

namespace convlens::viewer {

namespace {

ImU32 half(ImU32 colour) { return (colour & ~IM_COL32_A_MASK) | (colour >> IM_COL32_A_SHIFT) / 2 << IM_COL32_A_SHIFT; }

}  // namespace

void Plot::label(double px, double py, ImU32 colour, const std::string& text, bool above) {
  const float line = ImGui::GetTextLineHeight(), gap = line * 0.4f;
  const ImVec2 wanted{x(px) + gap, y(py) - (above ? line + gap / 2 : line / 2)};
  const ImVec2 at = place_text(wanted, colour, text);
  if (std::abs(at.y - wanted.y) > line / 2)
    ImGui::GetWindowDrawList()->AddLine({x(px), y(py)}, {at.x, at.y + line / 2}, half(colour));
}

// Inside the plot, and moved down or up, and then to the right or left, until it covers no other text; where there is
// no such place, it stands where it was wanted.
ImVec2 Plot::place_text(ImVec2 at, ImU32 colour, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const auto inside = [](float value, float first, float last) {
    return std::clamp(value, first, std::max(first, last));
  };
  const auto place = [&](int column, int row) {  // 0, then 1, −1, 2, −2, …
    const auto turn = [](int k) { return static_cast<float>((k + 1) / 2 * (k % 2 == 0 ? -1 : 1)); };
    return ImVec2{inside(at.x + turn(column) * 8 * size.y, first_.x, last_.x - size.x),
                  inside(at.y + turn(row) * size.y, first_.y, last_.y - size.y)};
  };
  const auto is_free = [&](const ImVec2& p) {
    return std::ranges::none_of(
        taken_, [&](const ImVec4& t) { return p.x < t.z && p.x + size.x > t.x && p.y < t.w && p.y + size.y > t.y; });
  };
  constexpr int kColumns = 5, kRows = 9;
  ImVec2 chosen = place(0, 0);
  for (int k = 0; k < kColumns * kRows && !is_free(chosen); ++k) chosen = place(k / kRows, k % kRows);
  if (!is_free(chosen)) chosen = place(0, 0);
  taken_.push_back({chosen.x, chosen.y, chosen.x + size.x, chosen.y + size.y});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImVec4 veil = ImGui::GetStyleColorVec4(ImGuiCol_ChildBg);
  veil.w *= 0.75f;
  list.AddRectFilled(chosen, {chosen.x + size.x, chosen.y + size.y}, ImGui::ColorConvertFloat4ToU32(veil));
  list.AddText(chosen, colour, text.c_str());
  return chosen;
}

std::vector<float> spread(const std::vector<float>& wanted, float apart, float least, float most) {
  // Neighbours that would be too near stand as one group around the mean of where they are wanted (isotonic regression
  // by pooling adjacent violators, of wanted[k] − k·apart).
  struct Group {
    float sum = 0;
    int count = 0;
    float mean() const { return sum / static_cast<float>(count); }
  };
  std::vector<Group> groups;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    groups.push_back({wanted[k] - static_cast<float>(k) * apart, 1});
    while (groups.size() > 1 && groups[groups.size() - 2].mean() > groups.back().mean()) {
      const Group last = groups.back();
      groups.pop_back();
      groups.back().sum += last.sum, groups.back().count += last.count;
    }
  }
  std::vector<float> placed;
  for (const Group& group : groups)
    for (int k = 0; k < group.count; ++k) placed.push_back(group.mean() + static_cast<float>(placed.size()) * apart);
  // Within the limits, as far as there is room: from the end up, then from the beginning down.
  for (std::size_t k = placed.size(); k-- > 0;)
    placed[k] = std::min(placed[k], k + 1 == placed.size() ? most : placed[k + 1] - apart);
  for (std::size_t k = 0; k < placed.size(); ++k)
    placed[k] = std::max(placed[k], k == 0 ? least : placed[k - 1] + apart);
  return placed;
}

void Plot::label_column(std::vector<PlotLabel> labels) {
  if (labels.empty()) return;
  std::ranges::stable_sort(labels, std::greater(), &PlotLabel::y);
  const float line = ImGui::GetTextLineHeight();
  float right = first_.x, width = 0;
  std::vector<float> wanted;
  for (const PlotLabel& label : labels) {
    right = std::max(right, x(label.x));
    width = std::max(width, ImGui::CalcTextSize(label.text.c_str()).x);
    wanted.push_back(y(label.y) - line / 2);
  }
  const std::vector<float> at = spread(wanted, line, first_.y, last_.y - line);
  const float column = std::clamp(right + 2 * line, first_.x, std::max(first_.x, last_.x - width - line / 2));
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const ImVec2 from{x(labels[k].x), y(labels[k].y)}, to{column - line * 0.2f, at[k] + line / 2};
    ImGui::GetWindowDrawList()->AddLine(from, to, half(labels[k].colour));
    ImGui::GetWindowDrawList()->AddText({column, at[k]}, labels[k].colour, labels[k].text.c_str());
    taken_.push_back({column, at[k], column + ImGui::CalcTextSize(labels[k].text.c_str()).x, at[k] + line});
  }
}

}  // namespace convlens::viewer
