#include "viewer/ui/grid.h"

#include <algorithm>
#include <cmath>

namespace convlens::viewer {

namespace {

constexpr double kNumbersFrom = 24;  // pixels a cell
constexpr double kLensBelow = 9;
constexpr int kLensCells = 11;
constexpr std::size_t kMostRectangles = 4096;
constexpr double kLargest = 160, kSmallest = 1.0 / 4096;

// The placement of a sheet on the screen: cell (0, 0) begins at `origin`, and every cell has `cell` pixels.
struct Placement {
  ImVec2 first, last;  // the widget's corners
  double cell, x, y;   // x, y: where cell (0, 0) begins

  double left(std::int64_t column) const { return x + static_cast<double>(column) * cell; }
  double top(std::int64_t row) const { return y + static_cast<double>(row) * cell; }
};

double fitting_cell(const Sheet& sheet, ImVec2 size) {
  const double rows = static_cast<double>(std::max<std::int64_t>(1, sheet.rows()));
  const double columns = static_cast<double>(std::max<std::int64_t>(1, sheet.columns()));
  return std::clamp(std::min(size.x / columns, size.y / rows), kSmallest, kLargest);
}

Placement place(const GridView& view, const Sheet& sheet, ImVec2 first, ImVec2 size) {
  const double cell = view.cell > 0 ? view.cell : fitting_cell(sheet, size);
  const double row = view.cell > 0 ? view.row : static_cast<double>(sheet.rows()) / 2;
  const double column = view.cell > 0 ? view.column : static_cast<double>(sheet.columns()) / 2;
  return {first,
          {first.x + size.x, first.y + size.y},
          cell,
          std::round(first.x + size.x / 2 - column * cell),
          std::round(first.y + size.y / 2 - row * cell)};
}

Interval visible(double origin, double cell, double first, double last, std::int64_t cells) {
  const auto begin = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((first - origin) / cell)), 0, cells);
  const auto end = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil((last - origin) / cell)), begin, cells);
  return {begin, end - begin};
}

Rectangle visible(const Placement& at, const Sheet& sheet) {
  return {visible(at.y, at.cell, at.first.y, at.last.y, sheet.rows()),
          visible(at.x, at.cell, at.first.x, at.last.x, sheet.columns())};
}

// Keeps `picture` up to date with one pixel a cell, or, where cells are smaller than pixels, with one cell a pixel.
void paint(CellPicture& picture, const GridContents& contents, const Rectangle& cells, double cell, Painter& painter) {
  const double step = std::max(1.0, 1 / cell);
  const int width = std::max(1, static_cast<int>(std::ceil(static_cast<double>(cells.columns.count) / step)));
  const int height = std::max(1, static_cast<int>(std::ceil(static_cast<double>(cells.rows.count) / step)));
  const std::string key = contents.key + "|" + std::to_string(cells.rows.first) + "," +
                          std::to_string(cells.columns.first) + "," + std::to_string(width) + "x" +
                          std::to_string(height);
  if (!picture.painting || picture.painting->key != key) {
    if (picture.painting) picture.painting->wanted = false;
    picture.painting = painter.start(key, width, height, [colour = contents.colour, cells, step](int x, int y) {
      return colour(cells.rows.first + static_cast<std::int64_t>(y * step),
                    cells.columns.first + static_cast<std::int64_t>(x * step));
    });
    picture.passes = 0;
    picture.requested = cells;
  }
  Painting& painting = *picture.painting;
  if (painting.passes == picture.passes) return;
  const std::scoped_lock lock(painting.mutex);
  picture.texture.set(painting.width, painting.height, painting.pixels);
  picture.passes = painting.passes;
  picture.cells = picture.requested;
}

void draw_picture(const Placement& at, const CellPicture& picture) {
  if (picture.texture.empty()) return;
  const Rectangle& cells = picture.cells;
  const ImVec2 first{static_cast<float>(at.left(cells.columns.first)), static_cast<float>(at.top(cells.rows.first))};
  const ImVec2 last{static_cast<float>(at.left(cells.columns.first + cells.columns.count)),
                    static_cast<float>(at.top(cells.rows.first + cells.rows.count))};
  ImGui::GetWindowDrawList()->AddImage(picture.texture.id(), first, last);
}

void draw_lines(const Placement& at, const Rectangle& cells, const Sheet& sheet) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto lines = [&](std::int64_t step, const Interval& range, const auto& line) {
    if (step <= 0 || static_cast<double>(step) * at.cell < 8) return;
    for (std::int64_t k = (range.first / step + 1) * step; k < range.first + range.count; k += step) line(k);
  };
  lines(sheet.row_block(), cells.rows, [&](std::int64_t row) {
    const float y = static_cast<float>(at.top(row));
    draw.AddLine({at.first.x, y}, {at.last.x, y}, palette().line);
  });
  lines(sheet.column_block(), cells.columns, [&](std::int64_t column) {
    const float x = static_cast<float>(at.left(column));
    draw.AddLine({x, at.first.y}, {x, at.last.y}, palette().line);
  });
}

// Outlines what is lit; however small a cell, its mark is at least three pixels wide.
void draw_lit(const Placement& at, const Rectangle& cells, const GridContents& contents) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto outline = [&](const Rectangle& r, ImU32 colour, float thickness) {
    double x0 = at.left(r.columns.first), x1 = at.left(r.columns.first + r.columns.count);
    double y0 = at.top(r.rows.first), y1 = at.top(r.rows.first + r.rows.count);
    if (x1 - x0 < 3) x0 = (x0 + x1) / 2 - 1.5, x1 = x0 + 3;
    if (y1 - y0 < 3) y0 = (y0 + y1) / 2 - 1.5, y1 = y0 + 3;
    const ImVec2 first{static_cast<float>(x0), static_cast<float>(y0)},
        last{static_cast<float>(x1), static_cast<float>(y1)};
    // A mark must not hide what it marks: large ones are outlines alone.
    const bool large = (x1 - x0) * (y1 - y0) > 0.05 * (at.last.x - at.first.x) * (at.last.y - at.first.y);
    if (!large) draw.AddRectFilled(first, last, (colour & 0x00ffffffu) | 0x60000000u);
    draw.AddRect(first, last, colour, 0, 0, thickness);
  };
  std::size_t left = kMostRectangles;
  for (const Box& box : contents.lit) {
    const std::vector<Rectangle> rectangles = contents.sheet.rectangles(box, cells, left);
    for (const Rectangle& r : rectangles) outline(r, palette().lit, 1.5f);
    left -= rectangles.size();
    if (left == 0) break;
  }
  if (contents.cursor)
    if (const auto position = contents.sheet.position(*contents.cursor))
      outline({{position->row, 1}, {position->column, 1}}, palette().cursor, 2);
}

void draw_numbers(const Placement& at, const Rectangle& cells, const GridContents& contents) {
  if (at.cell < kNumbersFrom || !contents.number) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::int64_t row = cells.rows.first; row < cells.rows.first + cells.rows.count; ++row)
    for (std::int64_t column = cells.columns.first; column < cells.columns.first + cells.columns.count; ++column) {
      const std::string text = contents.number(row, column);
      const std::uint32_t under = contents.colour(row, column);
      const double light = 0.299 * (under & 255) + 0.587 * (under >> 8 & 255) + 0.114 * (under >> 16 & 255);
      const float pixels = std::min(static_cast<float>(at.cell) / 2.6f, mono()->FontSize);
      const ImVec2 size = mono()->CalcTextSizeA(pixels, 1e9f, 0, text.c_str());
      if (size.x > at.cell) continue;
      const ImVec2 where{static_cast<float>(at.left(column) + (at.cell - size.x) / 2),
                         static_cast<float>(at.top(row) + (at.cell - size.y) / 2)};
      draw.AddText(mono(), pixels, where, light > 140 ? IM_COL32_BLACK : IM_COL32_WHITE, text.c_str());
    }
}

// The middle of what the lens shows: the cursor's cell, or the first that is lit and in this slice.
std::optional<Sheet::Position> lens_centre(const GridContents& contents) {
  if (contents.cursor)
    if (const auto position = contents.sheet.position(*contents.cursor)) return position;
  const Rectangle all{{0, contents.sheet.rows()}, {0, contents.sheet.columns()}};
  for (const Box& box : contents.lit)
    if (const auto found = contents.sheet.rectangles(box, all, 1); !found.empty())
      return Sheet::Position{found[0].rows.first + found[0].rows.count / 2,
                             found[0].columns.first + found[0].columns.count / 2};
  return std::nullopt;
}

void draw_lens(GridView& view, const GridContents& contents, const Placement& around, Painter& painter) {
  const auto centre = lens_centre(contents);
  const double side = std::min(around.last.x - around.first.x, around.last.y - around.first.y) * 0.42;
  if (!centre || around.cell >= kLensBelow || side < 60) return;
  const auto span = [](std::int64_t middle, std::int64_t cells) {
    const std::int64_t count = std::min<std::int64_t>(kLensCells, cells);
    return Interval{std::clamp<std::int64_t>(middle - count / 2, 0, cells - count), count};
  };
  const Rectangle cells{span(centre->row, contents.sheet.rows()), span(centre->column, contents.sheet.columns())};
  const double cell = std::floor(side / kLensCells);
  const double width = cell * static_cast<double>(cells.columns.count);
  const double height = cell * static_cast<double>(cells.rows.count);
  // In the corner that is farthest from what it magnifies.
  const bool right = around.left(centre->column) < (around.first.x + around.last.x) / 2;
  const bool bottom = around.top(centre->row) < (around.first.y + around.last.y) / 2;
  const ImVec2 first{static_cast<float>(right ? around.last.x - width - 6 : around.first.x + 6),
                     static_cast<float>(bottom ? around.last.y - height - 6 : around.first.y + 6)};
  const ImVec2 last{first.x + static_cast<float>(width), first.y + static_cast<float>(height)};
  const Placement at{first, last, cell, first.x - static_cast<double>(cells.columns.first) * cell,
                     first.y - static_cast<double>(cells.rows.first) * cell};
  paint(view.lens, contents, cells, cell, painter);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({first.x - 3, first.y - 3}, {last.x + 3, last.y + 3}, ImGui::GetColorU32(ImGuiCol_ChildBg), 4);
  draw_picture(at, view.lens);
  draw.PushClipRect(first, last, true);
  draw_lit(at, cells, contents);
  draw_numbers(at, cells, contents);
  draw.PopClipRect();
  draw.AddRect({first.x - 3, first.y - 3}, {last.x + 3, last.y + 3}, palette().lit, 4, 0, 2);
}

void zoom_and_move(GridView& view, const Placement& at) {
  const ImGuiIO& io = ImGui::GetIO();
  const double column = (io.MousePos.x - at.x) / at.cell, row = (io.MousePos.y - at.y) / at.cell;
  const double middle_x = (at.first.x + at.last.x) / 2, middle_y = (at.first.y + at.last.y) / 2;
  const auto look = [&](double cell, double x, double y) {
    view.cell = std::clamp(cell, kSmallest, kLargest);
    view.column = (middle_x - x) / view.cell, view.row = (middle_y - y) / view.cell;
  };
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    const double cell = std::clamp(at.cell * std::pow(1.25, io.MouseWheel), kSmallest, kLargest);
    look(cell, io.MousePos.x - column * cell, io.MousePos.y - row * cell);
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3))
    look(at.cell, at.x + io.MouseDelta.x, at.y + io.MouseDelta.y);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.cell = 0;
}

}  // namespace

GridAnswer grid(const char* id, GridView& view, const GridContents& contents, Painter& painter, ImVec2 size) {
  const ImVec2 first = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, {std::max(size.x, 1.0f), std::max(size.y, 1.0f)});
  GridAnswer answer;
  if (contents.sheet.rows() <= 0 || contents.sheet.columns() <= 0) return answer;
  zoom_and_move(view, place(view, contents.sheet, first, size));

  const Placement at = place(view, contents.sheet, first, size);
  view.shown = visible(at, contents.sheet);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(at.first, at.last, true);
  if (view.shown.rows.count > 0 && view.shown.columns.count > 0) {
    paint(view.picture, contents, view.shown, at.cell, painter);
    draw_picture(at, view.picture);
    draw_lines(at, view.shown, contents.sheet);
    draw_lit(at, view.shown, contents);
    draw_numbers(at, view.shown, contents);
    draw_lens(view, contents, at, painter);
  }
  draw.PopClipRect();

  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto row = static_cast<std::int64_t>(std::floor((mouse.y - at.y) / at.cell));
    const auto column = static_cast<std::int64_t>(std::floor((mouse.x - at.x) / at.cell));
    if (row >= 0 && row < contents.sheet.rows() && column >= 0 && column < contents.sheet.columns())
      answer.pointed = Sheet::Position{row, column};
  }
  return answer;
}

}  // namespace convlens::viewer
