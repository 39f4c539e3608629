#include "viewer/ui/grid.h"

#include <algorithm>
#include <cmath>

#include "viewer/ui/grid_division.h"
#include "viewer/ui/grid_drawing.h"

namespace convlens::viewer {

namespace {

// A cell of that many pixels, in a space in whose middle is what the view looks at. Cells that are smaller than pixels
// begin anywhere, so that zooming need not round where they are.
Placement place(const GridView& view, const Sheet& sheet, double cell, const Space& space) {
  const double row = view.cell > 0 ? view.row : static_cast<double>(sheet.rows()) / 2;
  const double column = view.cell > 0 ? view.column : static_cast<double>(sheet.columns()) / 2;
  const ImVec2 middle = space.middle();
  const double x = middle.x - column * cell, y = middle.y - row * cell;
  return {space.first, space.last(), cell, cell < 1 ? x : std::round(x), cell < 1 ? y : std::round(y)};
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

// The neighbourhood that the lens shows: around all that is lit where that is small, else around the cursor's cell or
// the first that is lit. Nothing when no lit cell is in this slice.
std::optional<Rectangle> neighbourhood(const GridContents& contents) {
  constexpr std::size_t kEnough = 256;
  const Rectangle all{{0, contents.sheet.rows()}, {0, contents.sheet.columns()}};
  std::vector<Rectangle> lit;
  if (const auto* boxes = contents.used != nullptr && !contents.used->empty() ? contents.used : contents.lit)
    for (const Box& box : *boxes) {
      const auto more = contents.sheet.rectangles(box, all, kEnough);
      lit.insert(lit.end(), more.begin(), more.end());
      if (lit.size() >= kEnough) break;
    }
  if (contents.cursor)
    if (const auto p = contents.sheet.position(*contents.cursor))
      lit.insert(lit.begin(), Rectangle{{p->row, 1}, {p->column, 1}});
  if (lit.empty()) return std::nullopt;
  const auto around = [&](Interval Rectangle::*side, std::int64_t cells) {
    std::int64_t first = cells, last = 0;
    for (const Rectangle& r : lit)
      first = std::min(first, (r.*side).first), last = std::max(last, (r.*side).first + (r.*side).count);
    std::int64_t count = std::clamp(last - first + 4, kFewestLensCells, kLensCells);
    if (last - first > kLensCells) {
      count = kLensCells;
      first = (lit.front().*side).first, last = first + std::min((lit.front().*side).count, count);
    }
    count = std::min(count, cells);
    return Interval{std::clamp<std::int64_t>((first + last - count) / 2, 0, cells - count), count};
  };
  Rectangle r{around(&Rectangle::rows, contents.sheet.rows()), around(&Rectangle::columns, contents.sheet.columns())};
  return r;
}

void draw_lens(GridView& view, const GridContents& contents, const Placement& grid, const Space& space,
               Painter& painter) {
  const std::optional<Rectangle> cells = neighbourhood(contents);
  view.lensed = cells.value_or(Rectangle{});
  if (!cells) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  constexpr double kLargestInLens = 60;  // pixels
  const double fit = std::min((space.size.x - 2 * kFrame) / static_cast<double>(cells->columns.count),
                              (space.size.y - 2 * kFrame) / static_cast<double>(cells->rows.count));
  const double cell = std::clamp(std::floor(fit), 1.0, kLargestInLens);
  const auto pixels = [&](std::int64_t count) { return static_cast<float>(cell * static_cast<double>(count)); };
  const ImVec2 a{space.first.x + std::floor((space.size.x - pixels(cells->columns.count)) / 2),
                 space.first.y + std::floor((space.size.y - pixels(cells->rows.count)) / 2)};
  const ImVec2 b{a.x + pixels(cells->columns.count), a.y + pixels(cells->rows.count)};
  const Placement at{a, b, cell, a.x - static_cast<double>(cells->columns.first) * cell,
                     a.y - static_cast<double>(cells->rows.first) * cell};
  draw_cells(at, *cells, view.lens, contents, painter);
  draw.AddRect({a.x - 2, a.y - 2}, {b.x + 2, b.y + 2}, palette().faint, 3, 0, 1.5f);

  // Where in the grid that is.
  const auto x = [&](std::int64_t column) { return static_cast<float>(grid.left(column)); };
  const auto y = [&](std::int64_t row) { return static_cast<float>(grid.top(row)); };
  draw.PushClipRect(grid.first, grid.last, true);
  draw.AddRect({x(cells->columns.first) - 2, y(cells->rows.first) - 2},
               {x(cells->columns.first + cells->columns.count) + 2, y(cells->rows.first + cells->rows.count) + 2},
               palette().faint, 2, 0, 1);
  draw.PopClipRect();
}

// Where cell 0 must begin, along one axis, for what is `at` cells from there to lie at the pixel `pointer`. However it
// is rounded, the pointer stays on the same cell.
double origin_under(double pointer, double at, double cell) {
  constexpr double kInside = 1e-3;  // of a cell
  const double index = std::floor(at), within = std::clamp(at - index, kInside, 1 - kInside);
  const double origin = pointer - (index + within) * cell;
  if (cell < 1) return origin;
  return std::clamp(std::round(origin), std::floor(pointer - (index + 1) * cell) + 1,
                    std::floor(pointer - index * cell));
}

// `middle_at(cell)` is the middle of the space that a grid with such cells has: a larger one where the lens goes.
template <class Middle>
void zoom_and_move(GridView& view, const Placement& at, const Middle& middle_at) {
  const ImGuiIO& io = ImGui::GetIO();
  const auto look = [&](double cell, double x, double y) {
    view.cell = cell;
    const double drawn = whole_pixels(cell);
    const ImVec2 middle = middle_at(drawn);
    view.column = (middle.x - x) / drawn, view.row = (middle.y - y) / drawn;
  };
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    const double before = view.cell > 0 ? view.cell : at.cell;
    const double cell = std::clamp(before * std::pow(1.25, io.MouseWheel), kSmallestCell, kLargestCell);
    const double column = (io.MousePos.x - at.x) / at.cell, row = (io.MousePos.y - at.y) / at.cell;
    const double drawn = whole_pixels(cell);
    look(cell, origin_under(io.MousePos.x, column, drawn), origin_under(io.MousePos.y, row, drawn));
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3))
    look(at.cell, at.x + io.MouseDelta.x, at.y + io.MouseDelta.y);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.cell = 0;
}

bool within(const Space& space, ImVec2 at) {
  return at.x >= space.first.x && at.x < space.last().x && at.y >= space.first.y && at.y < space.last().y;
}

std::optional<Sheet::Position> pointed_cell(const Placement& at, const Sheet& sheet) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!within({at.first, {at.width(), at.height()}}, mouse)) return std::nullopt;
  const auto row = static_cast<std::int64_t>(std::floor((mouse.y - at.y) / at.cell));
  const auto column = static_cast<std::int64_t>(std::floor((mouse.x - at.x) / at.cell));
  if (row < 0 || row >= sheet.rows() || column < 0 || column >= sheet.columns()) return std::nullopt;
  return Sheet::Position{row, column};
}

}  // namespace

GridAnswer grids(const char* id, const std::vector<GridPart>& parts, Painter& painter, ImVec2 size) {
  const Space space{ImGui::GetCursorScreenPos(), {std::max(size.x, 1.0f), std::max(size.y, 1.0f)}};
  ImGui::InvisibleButton(id, space.size);
  GridAnswer answer;
  const Sheet& sheet = parts.front().contents->sheet;
  if (sheet.rows() <= 0 || sheet.columns() <= 0) return answer;
  GridView& view = *parts.front().view;
  const auto division_of = [&](double zoom) {
    return divide(sheet, static_cast<int>(parts.size()), parts.front().contents->lens, space, zoom);
  };
  const auto placed = [&](const Division& d, std::size_t k) {
    return place(view, sheet, view.cell > 0 ? whole_pixels(view.cell) : d.cell, d.pictures[k]);
  };
  const Division before = division_of(view.cell);
  std::size_t under = 0;  // the picture that the pointer is on
  for (std::size_t k = 1; k < parts.size(); ++k)
    if (within(before.pictures[k], ImGui::GetIO().MousePos)) under = k;
  zoom_and_move(view, placed(before, under), [&](double cell) { return division_of(cell).pictures[under].middle(); });

  const Division division = division_of(view.cell);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    GridView& part = *parts[k].view;
    const GridContents& contents = *parts[k].contents;
    part.cell = view.cell, part.row = view.row, part.column = view.column;
    const Placement at = placed(division, k);
    part.shown = visible(at, sheet);
    part.lensed = {};
    if (k == 0) answer = {std::nullopt, at.first, at.last, at.cell, at.x, at.y};
    if (part.shown.rows.count > 0 && part.shown.columns.count > 0)
      draw_cells(at, part.shown, part.picture, contents, painter);
    if (!division.lenses.empty()) draw_lens(part, contents, at, division.lenses[k], painter);
    if (!answer.pointed && ImGui::IsItemHovered()) answer.pointed = pointed_cell(at, sheet);
  }
  return answer;
}

GridAnswer grid(const char* id, GridView& view, const GridContents& contents, Painter& painter, ImVec2 size) {
  return grids(id, {{&view, &contents}}, painter, size);
}

}  // namespace convlens::viewer
