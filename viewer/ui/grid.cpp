#include "viewer/ui/grid.h"

#include <algorithm>
#include <cmath>

#include "viewer/ui/grid_drawing.h"

namespace convlens::viewer {

namespace {

constexpr double kLensBelow = 9;  // pixels a cell
constexpr std::int64_t kLensCells = 11, kFewestLensCells = 5;
constexpr double kLargest = 160, kSmallest = 1.0 / 4096;  // pixels a cell
constexpr float kGap = 6, kFrame = 3;

// From one pixel on, cells have a whole number of pixels: were some of them wider than their neighbours, a regular
// pattern of values would be drawn as another.
double whole_pixels(double cell) { return cell < 1 ? cell : std::floor(cell); }

// The cell with which the whole sheet, and the marks around its edges, fit into a space.
double fitting_cell(const Sheet& sheet, ImVec2 space) {
  const double rows = static_cast<double>(std::max<std::int64_t>(1, sheet.rows()));
  const double columns = static_cast<double>(std::max<std::int64_t>(1, sheet.columns()));
  const double fit = std::min((space.x - 2 * kFrame) / columns, (space.y - 2 * kFrame) / rows);
  return whole_pixels(std::clamp(fit, kSmallest, kLargest));
}

// How much of the space its picture then takes.
ImVec2 fitted(const Sheet& sheet, ImVec2 space) {
  const double cell = fitting_cell(sheet, space);
  const auto side = [&](std::int64_t cells, float most) {
    return std::min(most, static_cast<float>(std::ceil(cell * static_cast<double>(cells))) + 2 * kFrame);
  };
  return {side(sheet.columns(), space.x), side(sheet.rows(), space.y)};
}

// A cell of that many pixels, in a space in whose middle is what the view looks at. Cells that are smaller than pixels
// begin anywhere, so that zooming need not round where they are.
Placement place(const GridView& view, const Sheet& sheet, double cell, ImVec2 first, ImVec2 size) {
  const double row = view.cell > 0 ? view.row : static_cast<double>(sheet.rows()) / 2;
  const double column = view.cell > 0 ? view.column : static_cast<double>(sheet.columns()) / 2;
  const double x = first.x + size.x / 2 - column * cell, y = first.y + size.y / 2 - row * cell;
  return {
      first, {first.x + size.x, first.y + size.y}, cell, cell < 1 ? x : std::round(x), cell < 1 ? y : std::round(y)};
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

// The widget cut in two: the grid, and beside or below it the lens, which so never covers what it magnifies. Corners
// are from the widget's own.
struct Division {
  ImVec2 first{0, 0}, size{0, 0};  // of the grid
  double cell = 0;                 // with which the whole sheet fits
  ImVec2 lens{0, 0};
  float side = 0;  // of the lens; 0: none
};

// While the whole sheet is shown, its picture and the lens stand together in the middle; zoomed in, to cells of `zoom`
// pixels, the picture takes all the space that the lens leaves.
Division divide(const GridContents& contents, ImVec2 size, double zoom) {
  const Sheet& sheet = contents.sheet;
  const double alone = fitting_cell(sheet, size);
  const float shorter = std::min(size.x, size.y);
  if (!contents.lens || (zoom > 0 ? zoom : alone) >= kLensBelow || shorter < 24) return {{0, 0}, size, alone};
  const float least = std::min(0.42f * shorter, 180.0f), most = 300;
  const ImVec2 picture = fitted(sheet, size);
  const float beside = std::clamp(size.x - kGap - picture.x, least, std::min(most, size.y));
  const float below = std::clamp(size.y - kGap - picture.y, least, std::min(most, size.x));
  const ImVec2 left{size.x - beside - kGap, size.y}, above{size.x, size.y - below - kGap};
  const double cell_left = fitting_cell(sheet, left), cell_above = fitting_cell(sheet, above);
  const bool is_beside = cell_left > cell_above || (cell_left == cell_above && beside >= below);
  const ImVec2 space = is_beside ? left : above;
  const ImVec2 shown = zoom > 0 ? space : fitted(sheet, space);
  Division d{{0, 0}, shown, is_beside ? cell_left : cell_above, {0, 0}, is_beside ? beside : below};
  const auto middle = [](float all, float taken) { return std::floor((all - taken) / 2); };
  if (is_beside) {
    d.first = {middle(size.x, shown.x + kGap + d.side), middle(size.y, shown.y)};
    d.lens = {d.first.x + shown.x + kGap, middle(size.y, d.side)};
  } else {
    d.first = {middle(size.x, shown.x), middle(size.y, shown.y + kGap + d.side)};
    d.lens = {middle(size.x, d.side), d.first.y + shown.y + kGap};
  }
  return d;
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

void draw_lens(GridView& view, const GridContents& contents, const Placement& grid, ImVec2 first, float side,
               Painter& painter) {
  const std::optional<Rectangle> cells = neighbourhood(contents);
  view.lensed = cells.value_or(Rectangle{});
  if (!cells) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const double most = static_cast<double>(std::max(cells->rows.count, cells->columns.count));
  const double cell = std::max(1.0, std::floor((side - 2 * kFrame) / most));
  const auto pixels = [&](std::int64_t count) { return static_cast<float>(cell * static_cast<double>(count)); };
  const ImVec2 a{first.x + std::floor((side - pixels(cells->columns.count)) / 2),
                 first.y + std::floor((side - pixels(cells->rows.count)) / 2)};
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
    const double cell = std::clamp(before * std::pow(1.25, io.MouseWheel), kSmallest, kLargest);
    const double column = (io.MousePos.x - at.x) / at.cell, row = (io.MousePos.y - at.y) / at.cell;
    const double drawn = whole_pixels(cell);
    look(cell, origin_under(io.MousePos.x, column, drawn), origin_under(io.MousePos.y, row, drawn));
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3))
    look(at.cell, at.x + io.MouseDelta.x, at.y + io.MouseDelta.y);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.cell = 0;
}

std::optional<Sheet::Position> pointed_cell(const Placement& at, const Sheet& sheet) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x < at.first.x || mouse.x >= at.last.x || mouse.y < at.first.y || mouse.y >= at.last.y) return std::nullopt;
  const auto row = static_cast<std::int64_t>(std::floor((mouse.y - at.y) / at.cell));
  const auto column = static_cast<std::int64_t>(std::floor((mouse.x - at.x) / at.cell));
  if (row < 0 || row >= sheet.rows() || column < 0 || column >= sheet.columns()) return std::nullopt;
  return Sheet::Position{row, column};
}

}  // namespace

GridAnswer grid(const char* id, GridView& view, const GridContents& contents, Painter& painter, ImVec2 size) {
  const ImVec2 first = ImGui::GetCursorScreenPos();
  size = {std::max(size.x, 1.0f), std::max(size.y, 1.0f)};
  ImGui::InvisibleButton(id, size);
  GridAnswer answer;
  if (contents.sheet.rows() <= 0 || contents.sheet.columns() <= 0) return answer;
  const auto division_of = [&](double zoom) {
    Division d = divide(contents, size, zoom);
    for (ImVec2* corner : {&d.first, &d.lens}) *corner = {corner->x + first.x, corner->y + first.y};
    return d;
  };
  const auto placed = [&](const Division& d) {
    return place(view, contents.sheet, view.cell > 0 ? whole_pixels(view.cell) : d.cell, d.first, d.size);
  };
  zoom_and_move(view, placed(division_of(view.cell)), [&](double cell) {
    const Division zoomed = division_of(cell);
    return ImVec2{zoomed.first.x + zoomed.size.x / 2, zoomed.first.y + zoomed.size.y / 2};
  });

  const Division division = division_of(view.cell);
  const Placement at = placed(division);
  view.shown = visible(at, contents.sheet);
  view.lensed = {};
  answer.first = at.first, answer.last = at.last, answer.cell = at.cell, answer.x = at.x, answer.y = at.y;
  if (view.shown.rows.count > 0 && view.shown.columns.count > 0)
    draw_cells(at, view.shown, view.picture, contents, painter);
  if (division.side > 0) draw_lens(view, contents, at, division.lens, division.side, painter);
  if (ImGui::IsItemHovered()) answer.pointed = pointed_cell(at, contents.sheet);
  return answer;
}

}  // namespace convlens::viewer
