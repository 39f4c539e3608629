#include "viewer/ui/plot.h"

#include <algorithm>
#include <cmath>

#include "viewer/ui/theme.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

ImU32 faded(ImU32 colour, float alpha) {
  ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  c.w *= alpha;
  return ImGui::ColorConvertFloat4ToU32(c);
}

// 0 … 1 along the axis.
double along(const PlotAxis& axis, double value) {
  if (axis.logarithmic) return std::log(value / axis.least) / std::log(axis.most / axis.least);
  return (value - axis.least) / (axis.most - axis.least);
}

// What a dot counts where a line counts 1 (plot_labels.cpp).
constexpr float kDot = 0.2f;

// Around what stands beside the axes.
float gap() { return ImGui::GetTextLineHeight() * 0.3f; }

}  // namespace

ImVec2 inside_of(ImVec2 size) {
  return {size.x - ImGui::CalcTextSize("0.0000").x - 2 * gap(), size.y - 2 * ImGui::GetTextLineHeight() - 3 * gap()};
}

std::vector<double> round_ticks(double least, double most, int count, bool logarithmic) {
  std::vector<double> ticks;
  if (!(most > least) || !std::isfinite(most - least) || (logarithmic && least <= 0)) return ticks;
  if (logarithmic) {
    const bool few = most / least < 100;
    for (double decade = std::pow(10, std::floor(std::log10(least))); decade <= most; decade *= 10)
      for (const double factor : {1.0, 2.0, 5.0})
        if ((factor == 1 || few) && decade * factor >= least && decade * factor <= most)
          ticks.push_back(decade * factor);
    return ticks;
  }
  const double rough = (most - least) / std::max(1, count);
  double step = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (step < rough) step *= factor;
  for (double k = std::ceil(least / step); k * step <= most * (1 + 1e-12); ++k) ticks.push_back(k * step);
  return ticks;
}

Plot::Plot(const char* id, ImVec2 size, PlotAxis x, PlotAxis y) : x_(std::move(x)), y_(std::move(y)) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  size = {std::max(size.x, 4 * line), std::max(size.y, 4 * line)};
  ImGui::InvisibleButton(id, size);
  hovered_ = ImGui::IsItemHovered();
  const ImVec2 inside = inside_of(size);
  first_ = {corner.x + size.x - inside.x - gap(), corner.y + line + gap()};
  last_ = {first_.x + inside.x, first_.y + inside.y};
  draw_axes();
  ImGui::PushClipRect(first_, last_, true);
}

Plot::~Plot() {
  for (const Text& text : texts_) draw_text(text);
  ImGui::PopClipRect();
}

float Plot::x(double value) const { return first_.x + static_cast<float>(along(x_, value)) * (last_.x - first_.x); }
float Plot::y(double value) const { return last_.y - static_cast<float>(along(y_, value)) * (last_.y - first_.y); }

void Plot::draw_axes() {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight(), gap = line * 0.3f;
  const ImU32 faint = palette().faint, grid = faded(palette().line, 0.5f);
  const auto count = [&](float pixels, float of_each) { return std::max(1, static_cast<int>(pixels / of_each)); };
  const auto ticks_of = [](const PlotAxis& axis, int how_many) {
    return axis.ticks.empty() ? round_ticks(axis.least, axis.most, how_many, axis.logarithmic) : axis.ticks;
  };
  float free = first_.x - 2 * line;
  for (const double tick : ticks_of(x_, count(last_.x - first_.x, 6 * line))) {
    const float at = x(tick);
    const std::string text = number_text(tick);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    list.AddLine({at, first_.y}, {at, last_.y}, grid);
    const float left = std::clamp(at - width / 2, first_.x - line, last_.x - width);
    if (left < free) continue;
    list.AddText({left, last_.y + gap}, faint, text.c_str());
    free = left + width + gap;
  }
  float lowest = last_.y + line;
  for (const double tick : ticks_of(y_, count(last_.y - first_.y, 2.5f * line))) {
    const float at = y(tick);
    const std::string text = number_text(tick);
    list.AddLine({first_.x, at}, {last_.x, at}, grid);
    if (at + line > lowest) continue;
    list.AddText({first_.x - gap - ImGui::CalcTextSize(text.c_str()).x, at - line / 2}, faint, text.c_str());
    lowest = at;
  }
  list.AddRect(first_, last_, palette().line);
  list.AddText({first_.x, first_.y - line - gap * 0.5f}, faint, y_.title.c_str());
  const float width = ImGui::CalcTextSize(x_.title.c_str()).x;
  // Under the axis there are numbers: what they are stands above, on the right, where there is room beside y's.
  if (ImGui::CalcTextSize(y_.title.c_str()).x + width + line < last_.x - first_.x)
    list.AddText({last_.x - width, first_.y - line - gap * 0.5f}, faint, x_.title.c_str());
}

void Plot::dots(std::span<const double> xs, std::span<const float> ys, ImU32 colour, float side) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float last_x = -1, last_y = -1;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    if (!std::isfinite(ys[k])) continue;
    const float px = std::round(x(xs[k])), py = std::round(y(static_cast<double>(ys[k])));
    if (px < first_.x - side || px > last_.x + side || py < first_.y || py > last_.y) continue;
    if (px == last_x && py == last_y) continue;
    last_x = px, last_y = py;
    mark({px, py}, kDot);
    list.PrimReserve(6, 4);
    list.PrimRect({px - side / 2, py - side / 2}, {px + side / 2, py + side / 2}, colour);
  }
}

void Plot::steps(std::span<const double> xs, std::span<const float> ys, double longest, ImU32 colour, float thickness) {
  // As many corners as there are columns of pixels at most.
  std::vector<ImVec2> path;
  const auto draw = [&] {
    ImGui::GetWindowDrawList()->AddPolyline(path.data(), static_cast<int>(path.size()), colour, ImDrawFlags_None,
                                            thickness);
    for (std::size_t k = 1; k < path.size(); ++k) mark_line(path[k - 1], path[k]);
    path.clear();
  };
  for (std::size_t k = 0; k < xs.size(); ++k) {
    if (!std::isfinite(ys[k])) continue;
    if (k > 0 && xs[k] - xs[k - 1] > longest) draw();
    const ImVec2 at{x(xs[k]), y(static_cast<double>(ys[k]))};
    if (at.x < first_.x - 1 && k + 1 < xs.size() && x(xs[k + 1]) < first_.x) continue;
    if (!path.empty() && at.x - path.back().x < 1) {
      path.back().y = at.y;
      continue;
    }
    if (!path.empty()) path.push_back({at.x, path.back().y});
    path.push_back(at);
  }
  draw();
}

void Plot::line(std::span<const double> xs, std::span<const double> ys, ImU32 colour, float thickness) {
  std::vector<ImVec2> path;
  for (std::size_t k = 0; k < xs.size(); ++k)
    if (std::isfinite(xs[k]) && std::isfinite(ys[k])) path.push_back({x(xs[k]), y(ys[k])});
  ImGui::GetWindowDrawList()->AddPolyline(path.data(), static_cast<int>(path.size()), colour, ImDrawFlags_None,
                                          thickness);
  for (std::size_t k = 1; k < path.size(); ++k) mark_line(path[k - 1], path[k]);
}

void Plot::band(std::span<const double> xs, std::span<const double> low, std::span<const double> high, ImU32 colour) {
  for (std::size_t k = 0, before = xs.size(); k < xs.size(); ++k) {
    if (!std::isfinite(low[k]) || !std::isfinite(high[k])) continue;
    if (before < k)
      ImGui::GetWindowDrawList()->AddQuadFilled({x(xs[before]), y(high[before])}, {x(xs[k]), y(high[k])},
                                                {x(xs[k]), y(low[k])}, {x(xs[before]), y(low[before])},
                                                faded(colour, 0.25f));
    before = k;
  }
}

void Plot::level(double value, ImU32 colour, const std::string& text) {
  if (!std::isfinite(value)) return;
  const float at = y(value), dash = ImGui::GetTextLineHeight() * 0.4f;
  for (float px = first_.x; px < last_.x; px += 2 * dash)
    ImGui::GetWindowDrawList()->AddLine({px, at}, {std::min(px + dash, last_.x), at}, colour);
  mark_line({first_.x, at}, {last_.x, at});
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float left = last_.x - size.x - dash;
  texts_.push_back({{left, at - size.y - 2}, colour, text, ImVec2{left + size.x / 2, at}});
}

void Plot::upright(double value, ImU32 colour, const std::string& text) {
  const float at = x(value), dash = ImGui::GetTextLineHeight() * 0.2f;
  for (float py = first_.y; py < last_.y; py += 2 * dash)
    ImGui::GetWindowDrawList()->AddLine({at, py}, {at, std::min(py + dash, last_.y)}, colour);
  mark_line({at, first_.y}, {at, last_.y});
  texts_.push_back({{at + dash, first_.y + dash}, colour, text, {}});
}

void Plot::point(double px, double py, ImU32 colour, bool filled, bool square) {
  const float radius = ImGui::GetTextLineHeight() * 0.3f;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const float up : {-radius, 0.0f, radius}) mark_line({x(px) - radius, y(py) + up}, {x(px) + radius, y(py) + up});
  const ImVec2 first{x(px) - radius, y(py) - radius}, last{x(px) + radius, y(py) + radius};
  if (square && filled)
    list.AddRectFilled(first, last, colour);
  else if (square)
    list.AddRect(first, last, colour, 0, ImDrawFlags_None, radius * 0.4f);
  else if (filled)
    list.AddCircleFilled({x(px), y(py)}, radius, colour);
  else
    list.AddCircle({x(px), y(py)}, radius, colour, 0, radius * 0.4f);
}

}  // namespace convlens::viewer
