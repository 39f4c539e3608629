// The error map: one channel of y, every output coloured by how far it is off, with the borders of the row's tiles and
// of the outputs whose windows touch padding drawn over it.
#include <algorithm>
#include <cmath>

#include "algorithms/interface/window.h"
#include "viewer/panels/numerics/numerics.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// Powers of ten of u·Σ|x||w| that the colours span.
constexpr double kDarkest = -3, kBrightest = 2;

std::uint32_t colour_of(double error, std::uint32_t wrong, std::uint32_t no_number) {
  if (!std::isfinite(error)) return std::isnan(error) ? no_number : wrong;
  return viridis(error == 0 ? 0 : (std::log10(error) - kDarkest) / (kBrightest - kDarkest));
}

void draw_legend() {
  const float width = 6 * ImGui::GetFontSize(), height = ImGui::GetTextLineHeight();
  ImGui::TextDisabled("0.001");
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  constexpr int kPieces = 32;
  for (int k = 0; k < kPieces; ++k) {
    const float x = at.x + width * static_cast<float>(k) / kPieces;
    ImGui::GetWindowDrawList()->AddRectFilled({x, at.y + height * 0.2f}, {x + width / kPieces, at.y + height * 0.9f},
                                              viridis(static_cast<double>(k) / (kPieces - 1)));
  }
  ImGui::Dummy({width, height});
  ImGui::SameLine();
  ImGui::TextDisabled("100 u·Σ|x||w|");
}

// What the lines over the map are, as many as fit beside the colours.
void draw_line_legend(const ConvProblem& p, const Numerics& cell) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = ImGui::GetStyle().ItemSpacing.x;
  const auto entry = [&](ImU32 colour, const std::string& text) {
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + 2 * gap + side + ImGui::CalcTextSize(text.c_str()).x > right) return;
    ImGui::SameLine(0, gap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRect({at.x, at.y + side * 0.4f}, {at.x + side, at.y + side * 1.4f}, colour, 0, 0, 2);
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, gap / 2);
    ImGui::TextDisabled("%s", text.c_str());
  };
  const ConvSpec& s = p.spec();
  if (cell.tile_h > 1 || cell.tile_w > 1)
    entry(palette().line, "tiles " + std::to_string(cell.tile_h) + " x " + std::to_string(cell.tile_w));
  if (s.pad_top + s.pad_bottom + s.pad_left + s.pad_right > 0) entry(palette().series[3], "padding");
  if (cell.reach) entry(palette().lit, "reads it");
}

// The outputs along one axis whose windows lie in the image, and, of these or all, the ones that read an element.
Interval inside(const WindowAxis& axis) {
  Interval all{0, 0};
  for (std::int64_t output = 0; output < axis.outputs; ++output) {
    if (!axis.inside(axis.input(output, 0)) || !axis.inside(axis.input(output, axis.taps - 1))) continue;
    if (all.count == 0) all.first = output;
    ++all.count;
  }
  return all;
}

Interval readers(const WindowAxis& axis, std::int64_t input) {
  std::int64_t first = axis.outputs, last = -1;
  axis.readers(input, [&](std::int64_t output, std::int64_t) {
    first = std::min(first, output), last = std::max(last, output);
  });
  return {first, std::max<std::int64_t>(0, last + 1 - first)};
}

class Overlay {
 public:
  explicit Overlay(const GridAnswer& grid) : grid_(grid) { list().PushClipRect(grid.first, grid.last, true); }
  ~Overlay() { list().PopClipRect(); }

  void rectangle(const Interval& rows, const Interval& columns, ImU32 colour, float thick) const {
    if (rows.count == 0 || columns.count == 0) return;
    list().AddRect({x(columns.first), y(rows.first)}, {x(columns.first + columns.count), y(rows.first + rows.count)},
                   colour, 0, 0, thick);
  }

  // Lines between tiles, where they are at least a few pixels apart.
  void tiles(const ConvProblem& p, std::int64_t tile_h, std::int64_t tile_w) const {
    constexpr double kLeastPixels = 4;
    if (static_cast<double>(tile_h) * grid_.cell >= kLeastPixels)
      for (std::int64_t row = tile_h; row < p.ho(); row += tile_h)
        list().AddLine({x(0), y(row)}, {x(p.wo()), y(row)}, palette().line);
    if (static_cast<double>(tile_w) * grid_.cell >= kLeastPixels)
      for (std::int64_t column = tile_w; column < p.wo(); column += tile_w)
        list().AddLine({x(column), y(0)}, {x(column), y(p.ho())}, palette().line);
  }

 private:
  static ImDrawList& list() { return *ImGui::GetWindowDrawList(); }
  float x(std::int64_t column) const { return static_cast<float>(grid_.x + static_cast<double>(column) * grid_.cell); }
  float y(std::int64_t row) const { return static_cast<float>(grid_.y + static_cast<double>(row) * grid_.cell); }
  const GridAnswer& grid_;
};

void draw_borders(const ConvProblem& p, const Numerics& cell, const GridAnswer& answer) {
  const WindowAxis rows = WindowAxis::rows(p), columns = WindowAxis::columns(p);
  const Overlay overlay(answer);
  if (cell.tile_h > 0 && (cell.tile_h > 1 || cell.tile_w > 1)) overlay.tiles(p, cell.tile_h, cell.tile_w);
  const Interval in_rows = inside(rows), in_columns = inside(columns);
  if (in_rows.count < p.ho() || in_columns.count < p.wo())
    overlay.rectangle(in_rows, in_columns, palette().series[3], 2);
  if (cell.reach)
    overlay.rectangle(readers(rows, cell.material->at[2]), readers(columns, cell.material->at[3]), palette().lit, 2);
}

std::string explanation(const ConvProblem& p, const Numerics& cell) {
  const ConvSpec& s = p.spec();
  std::string text = "bright: far off; red: only one of the two is a number; grey: neither is";
  if (cell.tile_h > 1 || cell.tile_w > 1)
    text += "\nthin lines: tiles of " + std::to_string(cell.tile_h) + " x " + std::to_string(cell.tile_w) + " outputs";
  if (s.pad_top + s.pad_bottom + s.pad_left + s.pad_right > 0) text += "\npurple: outside, windows touch the padding";
  if (cell.reach) text += "\norange: the outputs that read what was injected";
  return text + "\nclick: the terms of that output";
}

void draw_grid(Scene& scene, const NumericsTable& table, std::int64_t channel) {
  const std::shared_ptr<const Numerics> cell = table.front();
  const ConvProblem& p = table.specimen.problem;
  const Shape shape = p.y_shape();
  const Sheet sheet({{"n", "N", p.n(), p.n(), 0},
                     {"o", "C_o", p.co(), p.co(), 0},
                     {"p", "H_o", p.ho(), p.ho(), 0},
                     {"q", "W_o", p.wo(), p.wo(), 1}},
                    {2}, {3}, {0, channel});
  const auto error = [cell, shape, channel](std::int64_t row, std::int64_t column) {
    return cell->error[output_number({0, channel, row, column}, shape)];
  };
  const Shape at = shown_element(scene.state, table);
  GridContents contents{
      .sheet = sheet,
      .key = "errors" + std::to_string(reinterpret_cast<std::uintptr_t>(cell.get())) + "," + std::to_string(channel) +
             (scene.state.dark ? "d" : "l"),
      .colour = [error, wrong = palette().wrong, none = palette().faint](
                    std::int64_t row, std::int64_t column) { return colour_of(error(row, column), wrong, none); },
      .number = [error](std::int64_t row, std::int64_t column) { return number_text(error(row, column), 2); }};
  if (at[1] == channel) contents.cursor = Coord{at[0], at[1], at[2], at[3]};
  contents.lens = false;
  const GridAnswer answer =
      grid("errors", scene.views["numerics"], contents, scene.painter, ImGui::GetContentRegionAvail());
  const bool clicked = ImGui::IsItemClicked();
  draw_borders(p, *cell, answer);
  if (!answer.pointed) return;
  const auto [row, column] = *answer.pointed;
  const std::size_t number = output_number({0, channel, row, column}, shape);
  ImGui::SetTooltip("y(0, %lld, %lld, %lld) = %s, right %s: off by %s u·Σ|x||w|\n%s", static_cast<long long>(channel),
                    static_cast<long long>(row), static_cast<long long>(column),
                    number_text(cell->y[number], 8).c_str(), number_text(cell->right[number], 8).c_str(),
                    number_text(cell->error[number], 3).c_str(), explanation(p, *cell).c_str());
  if (!clicked) return;
  State next = scene.state;
  next.numerics.element = {0, channel, row, column};
  scene.change(std::move(next), "element");
}

}  // namespace

void draw_error_map(Scene& scene, const NumericsTable& table, ImVec2 size) {
  constexpr auto kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::BeginChild("error map", size, true, kStill)) {
    if (table.computed()) {
      const std::int64_t channel = shown_channel(scene.state, table);
      ImGui::Text("Errors, channel %lld", static_cast<long long>(channel));
      ImGui::SameLine();
      if (ImGui::SmallButton("worst")) {
        State next = scene.state;
        next.numerics.element.clear();
        next.numerics.channel = output_at(table.front()->worst, table.specimen.problem.y_shape())[1];
        scene.change(std::move(next), "");
      }
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("To the output that is furthest off, and its terms");
      draw_legend();
      draw_line_legend(table.specimen.problem, *table.front());
      draw_grid(scene, table, channel);
    } else if (table.front() == nullptr) {
      ImGui::TextDisabled("computing ...");
    } else {
      wrapped_text(table.front()->refused);
    }
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
