// Texts in a plot, placed so that none covers another, and as little as can be of what is drawn.
#include <algorithm>
#include <cmath>
#include <limits>

#include "viewer/ui/plot.h"
#include "viewer/ui/theme.h"

namespace convlens::viewer {

namespace {

ImU32 half(ImU32 colour) { return (colour & ~IM_COL32_A_MASK) | (colour >> IM_COL32_A_SHIFT) / 2 << IM_COL32_A_SHIFT; }

// Pixels of a cell in which is kept what is drawn.
constexpr float kCellWidth = 4, kCellHeight = 2;

}  // namespace

void Plot::label(double px, double py, ImU32 colour, const std::string& text, bool above) {
  const float line = ImGui::GetTextLineHeight(), gap = line * 0.4f;
  const ImVec2 at{x(px), y(py)};
  texts_.push_back({{at.x + gap, at.y - (above ? line + gap / 2 : line / 2)}, colour, text, at});
}

// Of what is drawn, each cell keeps the weightiest.
void Plot::mark(ImVec2 at, float weight) {
  if (!(at.x >= first_.x && at.x < last_.x && at.y >= first_.y && at.y < last_.y)) return;
  columns_ = static_cast<std::size_t>((last_.x - first_.x) / kCellWidth) + 1;
  drawn_.resize(columns_ * (static_cast<std::size_t>((last_.y - first_.y) / kCellHeight) + 1));
  float& cell = drawn_[static_cast<std::size_t>((at.y - first_.y) / kCellHeight) * columns_ +
                       static_cast<std::size_t>((at.x - first_.x) / kCellWidth)];
  cell = std::max(cell, weight);
}

void Plot::mark_line(ImVec2 from, ImVec2 to) {
  constexpr float kMostSteps = 4096;  // whatever is far outside is drawn nowhere
  const float steps =
      std::ceil(std::max(std::abs(to.x - from.x) / kCellWidth, std::abs(to.y - from.y) / kCellHeight)) + 1;
  if (!(steps <= kMostSteps)) return;
  for (float k = 0; k <= steps; ++k)
    mark({from.x + (to.x - from.x) * k / steps, from.y + (to.y - from.y) * k / steps}, 1);
}

float Plot::covered(ImVec2 first, ImVec2 last) const {
  constexpr float kText = 1e4f;
  float sum = 0;
  for (const ImVec4& t : taken_) sum += first.x < t.z && last.x > t.x && first.y < t.w && last.y > t.y ? kText : 0;
  if (drawn_.empty()) return sum;
  const auto cell = [](float at, float size) { return static_cast<std::size_t>(std::max(0.0f, at / size)); };
  const std::size_t rows = drawn_.size() / columns_,
                    right = std::min(cell(last.x - first_.x, kCellWidth), columns_ - 1);
  for (std::size_t row = cell(first.y - first_.y, kCellHeight);
       row <= std::min(cell(last.y - first_.y, kCellHeight), rows - 1); ++row)
    for (std::size_t column = cell(first.x - first_.x, kCellWidth); column <= right; ++column)
      sum += drawn_[row * columns_ + column];
  return sum;
}

// Inside the plot, and moved down or up, and then to the right or left, to where it covers least; the farther, the more
// that must be worth.
void Plot::draw_text(const Text& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.text.c_str());
  const auto inside = [](float value, float first, float last) {
    return std::clamp(value, first, std::max(first, last));
  };
  const auto place = [&](int column, int row) {  // 0, then 1, −1, 2, −2, …
    const auto turn = [](int k) { return static_cast<float>((k + 1) / 2 * (k % 2 == 0 ? -1 : 1)); };
    return ImVec2{inside(text.wanted.x + turn(column) * 8 * size.y, first_.x, last_.x - size.x),
                  inside(text.wanted.y + turn(row) * size.y, first_.y, last_.y - size.y)};
  };
  constexpr int kColumns = 5, kRows = 13;
  constexpr float kFarther = 0.5f;
  ImVec2 chosen = place(0, 0);
  float least = std::numeric_limits<float>::infinity();
  for (int k = 0; k < kColumns * kRows; ++k) {
    const ImVec2 at = place(k / kRows, k % kRows);
    const float cost = covered(at, {at.x + size.x, at.y + size.y - 1}) + kFarther * static_cast<float>(k);
    if (cost < least) least = cost, chosen = at;
  }
  taken_.push_back({chosen.x, chosen.y, chosen.x + size.x, chosen.y + size.y});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImVec4 veil = ImGui::GetStyleColorVec4(ImGuiCol_ChildBg);
  veil.w *= 0.75f;
  list.AddRectFilled(chosen, {chosen.x + size.x, chosen.y + size.y}, ImGui::ColorConvertFloat4ToU32(veil));
  list.AddText(chosen, text.colour, text.text.c_str());
  if (text.of && std::abs(chosen.y - text.wanted.y) > size.y / 2) {
    const ImVec2 nearest{std::clamp(text.of->x, chosen.x, chosen.x + size.x),
                         std::clamp(text.of->y, chosen.y, chosen.y + size.y)};
    list.AddLine(*text.of, nearest, half(text.colour));
  }
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

namespace {

float room_of(const std::vector<float>& columns) {
  float all = 2 * ImGui::GetTextLineHeight();
  for (const float width : columns) all += width + ImGui::GetTextLineHeight();
  return all;
}

}  // namespace

std::vector<std::string> fitting_labels(const std::vector<std::string>& texts, ImVec2 inside) {
  constexpr float kMostPart = 0.7f;  // of the width: the points need some
  for (std::size_t count = texts.size(); count > 1; --count) {
    std::vector<std::string> shown(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(count));
    if (count < texts.size()) shown.back() = "and " + std::to_string(texts.size() - count + 1) + " more";
    if (room_of(label_columns(shown, inside.y)) <= kMostPart * inside.x) return shown;
  }
  return {texts.begin(), texts.begin() + std::min<std::ptrdiff_t>(1, std::ssize(texts))};
}

std::vector<float> label_columns(const std::vector<std::string>& texts, float height) {
  const auto most = static_cast<std::size_t>(std::max(1.0f, std::floor(height / ImGui::GetTextLineHeight())));
  const std::size_t columns = (texts.size() + most - 1) / most;
  std::vector<float> widths(columns, 0);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    float& width = widths[k * columns / texts.size()];
    width = std::max(width, ImGui::CalcTextSize(texts[k].c_str()).x);
  }
  return widths;
}

double with_room(double least, double most, const std::vector<std::string>& texts, ImVec2 size) {
  constexpr double kMost = 0.75;
  const ImVec2 inside = inside_of(size);
  const float all = room_of(label_columns(fitting_labels(texts, inside), inside.y));
  const double part = std::min(kMost, static_cast<double>(all) / static_cast<double>(inside.x));
  return std::exp((std::log(most) - part * std::log(least)) / (1 - part));
}

void Plot::label_column(std::vector<PlotLabel> labels) {
  if (labels.empty()) return;
  std::ranges::stable_sort(labels, std::greater(), &PlotLabel::y);
  const float line = ImGui::GetTextLineHeight();
  float right = first_.x;
  std::vector<std::string> texts;
  for (const PlotLabel& label : labels) right = std::max(right, x(label.x)), texts.push_back(label.text);
  texts = fitting_labels(texts, {last_.x - first_.x, last_.y - first_.y});
  if (texts.size() < labels.size()) labels[texts.size() - 1].colour = palette().faint;
  labels.resize(texts.size());
  const std::vector<float> widths = label_columns(texts, last_.y - first_.y);
  const float all = room_of(widths) - 3 * line;
  float left = std::clamp(right + 2 * line, first_.x, std::max(first_.x, last_.x - all - line / 2));
  std::vector<ImVec2> places;
  for (std::size_t column = 0; column < widths.size(); left += widths[column++] + line) {
    std::vector<float> wanted;
    for (std::size_t k = places.size(); k < labels.size() && k * widths.size() / labels.size() == column; ++k)
      wanted.push_back(y(labels[k].y) - line / 2);
    for (const float at : viewer::spread(wanted, line, first_.y, last_.y - line)) places.push_back({left, at});
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t k = 0; k < labels.size(); ++k)
    list.AddLine({x(labels[k].x), y(labels[k].y)}, {places[k].x - line * 0.2f, places[k].y + line / 2},
                 half(labels[k].colour));
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const ImVec2 first = places[k];
    const ImVec2 last{first.x + ImGui::CalcTextSize(texts[k].c_str()).x, first.y + line};
    list.AddRectFilled(first, last, ImGui::GetColorU32(ImGuiCol_ChildBg));  // no line strikes a name through
    list.AddText(first, labels[k].colour, texts[k].c_str());
    taken_.push_back({first.x, first.y, last.x, last.y});
  }
}

}  // namespace convlens::viewer
