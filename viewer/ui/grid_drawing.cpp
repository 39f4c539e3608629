#include "viewer/ui/grid_drawing.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr double kNumbersFrom = 24;  // pixels a cell
constexpr float kSmallestText = 7;   // pixels
constexpr int kFewestLetters = 4;
constexpr float kVeil = 0.85f;  // of what does not exist yet, that much is background
constexpr float kInk = 0.72f;   // numbers on it: so far from the ground to black or white

// How many pixels a line of one is wide, on this monitor.
float line_scale() { return std::max(1.0f, ImGui::GetFontSize() / 15); }

// The text font's digits are all as wide as its 0, which has no stroke or dot that looks like an 8 when it is small.
float letter_width(float pixels) { return ImGui::GetFont()->CalcTextSizeA(pixels, 1e9f, 0, "0").x; }

// How many letters that are easy to read a cell has room for.
int letters_in(double cell) {
  return std::max(kFewestLetters, static_cast<int>((cell - 4) / letter_width(0.8f * ImGui::GetFontSize())));
}

double cells_a_square(double cell) { return std::max(1.0, 1 / cell); }

// Keeps `picture` up to date with one pixel a cell, or, where cells are smaller than pixels, with one cell a pixel.
void paint(CellPicture& picture, const GridContents& contents, const Rectangle& cells, double cell, Painter& painter) {
  const double step = cells_a_square(cell);
  const int width = std::max(1, static_cast<int>(std::ceil(static_cast<double>(cells.columns.count) / step)));
  const int height = std::max(1, static_cast<int>(std::ceil(static_cast<double>(cells.rows.count) / step)));
  const double shown = static_cast<double>(cells.rows.count) * static_cast<double>(cells.columns.count);
  const int grain = contents.grain ? std::max(1, contents.grain(static_cast<double>(width) * height, shown)) : 1;
  const bool numbers = cell >= kNumbersFrom && (contents.number || contents.value) && grain == 1;
  const int letters = letters_in(cell);
  const std::string key = contents.key + "|" + std::to_string(cells.rows.first) + "," +
                          std::to_string(cells.columns.first) + "," + std::to_string(width) + "x" +
                          std::to_string(height) + (numbers ? "n" + std::to_string(letters) : "");
  if (!picture.painting || picture.painting->key != key) {
    if (picture.painting) picture.painting->wanted = false;
    const auto row = [cells, step](int y) { return cells.rows.first + static_cast<std::int64_t>(y * step); };
    const auto column = [cells, step](int x) { return cells.columns.first + static_cast<std::int64_t>(x * step); };
    PixelText text;
    if (numbers)
      text = [number = contents.number, value = contents.value, letters, row, column](int x, int y) {
        if (!value) return number(row(y), column(x));
        const std::optional<double> shown = value(row(y), column(x));
        return shown ? short_number(*shown, letters) : std::string();
      };
    PixelColour colour = [colour = contents.colour, row, column](int x, int y) { return colour(row(y), column(x)); };
    if (contents.mean && step > 1)
      colour = [mean = contents.mean, cells, step](int x, int y) {
        return mean(static_cast<double>(cells.rows.first) + y * step,
                    static_cast<double>(cells.columns.first) + x * step, step);
      };
    picture.painting = painter.start(key, width, height, std::move(colour), std::move(text), grain);
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

// Where the first of `cells` is drawn: pixels that stand for several cells each lie on the screen's own.
ImVec2 corner(const Placement& at, const Rectangle& cells) {
  const double x = at.left(cells.columns.first), y = at.top(cells.rows.first);
  return {static_cast<float>(at.cell < 1 ? std::round(x) : x), static_cast<float>(at.cell < 1 ? std::round(y) : y)};
}

void draw_picture(const Placement& at, const CellPicture& picture) {
  if (picture.texture.empty()) return;
  const double step = cells_a_square(at.cell);
  const auto pixels = [&](std::int64_t count) {
    return static_cast<float>(at.cell < 1 ? std::ceil(static_cast<double>(count) / step)
                                          : static_cast<double>(count) * at.cell);
  };
  const ImVec2 first = corner(at, picture.cells);
  ImGui::GetWindowDrawList()->AddImage(
      picture.texture.id(), first,
      {first.x + pixels(picture.cells.columns.count), first.y + pixels(picture.cells.rows.count)});
}

void draw_lines(const Placement& at, const Rectangle& cells, const Sheet& sheet) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto lines = [&](std::int64_t step, const Interval& range, const auto& line) {
    if (step <= 0 || static_cast<double>(step) * at.cell < 8) return;
    for (std::int64_t k = (range.first / step + 1) * step; k < range.first + range.count; k += step) line(k);
  };
  const auto right = static_cast<float>(at.left(sheet.columns())), bottom = static_cast<float>(at.top(sheet.rows()));
  lines(sheet.row_block(), cells.rows, [&](std::int64_t row) {
    const auto y = static_cast<float>(at.top(row));
    draw.AddLine({static_cast<float>(at.left(0)), y}, {right, y}, palette().line);
  });
  lines(sheet.column_block(), cells.columns, [&](std::int64_t column) {
    const auto x = static_cast<float>(at.left(column));
    draw.AddLine({x, static_cast<float>(at.top(0))}, {x, bottom}, palette().line);
  });
}

// The rows that exist already, whole ones, so that the line after them goes through no number.
std::int64_t made_rows(const GridContents& contents) {
  return contents.made >= 1 ? contents.sheet.rows()
                            : static_cast<std::int64_t>(contents.made * static_cast<double>(contents.sheet.rows()));
}

// What does not exist yet lies under a veil.
void draw_veil(const Placement& at, const GridContents& contents) {
  if (contents.made >= 1) return;
  const auto top = static_cast<float>(at.top(made_rows(contents)));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.first.x, top}, at.last, ImGui::GetColorU32(ImGuiCol_ChildBg, kVeil));
  if (contents.made > 0)
    draw.AddRectFilled({static_cast<float>(at.left(0)), top - 1},
                       {static_cast<float>(at.left(contents.sheet.columns())), top + 1}, palette().lit);
}

std::uint32_t mix(std::uint32_t from, std::uint32_t to, float share) {
  std::uint32_t mixed = 0xff000000u;
  for (int shift = 0; shift < 24; shift += 8) {
    const auto a = static_cast<float>(from >> shift & 255), b = static_cast<float>(to >> shift & 255);
    mixed |= static_cast<std::uint32_t>(std::lround(a + (b - a) * share)) << shift;
  }
  return mixed;
}

// Black or white, whichever can be read on that colour.
std::uint32_t ink_on(std::uint32_t ground) {
  const double light = 0.299 * (ground & 255) + 0.587 * (ground >> 8 & 255) + 0.114 * (ground >> 16 & 255);
  return light > 140 ? IM_COL32_BLACK : IM_COL32_WHITE;
}

std::uint32_t ink_under_veil(std::uint32_t colour) {
  const std::uint32_t ground = mix(colour, ImGui::GetColorU32(ImGuiCol_ChildBg), kVeil);
  return mix(ground, ink_on(ground), kInk);
}

// Tints `marks` and draws one outline around them. A mark must not hide what it marks: large ones are outlines alone.
void draw_outline(const Placement& at, const Rectangle& cells, const Marks& marks, double square, ImU32 colour,
                  bool rim) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 first = corner(at, cells);
  const auto point = [&](int x, int y) {
    return ImVec2{first.x + static_cast<float>(x * square), first.y + static_cast<float>(y * square)};
  };
  const double share = static_cast<double>(marks.squares) * square * square / (at.width() * at.height());
  if (share < 0.1)
    for (const Marks::Fill& f : marks.fills)
      draw.AddRectFilled(point(f.x, f.y), point(f.x + f.width, f.y + f.height), colour & 0x48ffffffu);
  const auto edges = [&](ImU32 edge, float half) {
    for (const Marks::Edge& e : marks.across) {
      const ImVec2 a = point(e.x, e.y), b = point(e.x + e.length, e.y);
      draw.AddRectFilled({a.x - half, a.y - half}, {b.x + half, b.y + half}, edge);
    }
    for (const Marks::Edge& e : marks.down) {
      const ImVec2 a = point(e.x, e.y), b = point(e.x, e.y + e.length);
      draw.AddRectFilled({a.x - half, a.y - half}, {b.x + half, b.y + half}, edge);
    }
  };
  // Never so wide that it hides what is in a cell.
  const float half =
      std::min((square > 12 ? 1.25f : 0.75f) * line_scale(), std::max(0.75f, 0.08f * static_cast<float>(square)));
  if (rim) edges(IM_COL32(0, 0, 0, 130), half + 1);
  edges(colour, half);
}

// What is lit, and above it what is used; however small a cell, its mark is at least three pixels wide.
void draw_marks(const Placement& at, const Rectangle& cells, CellPicture& picture, const GridContents& contents) {
  if (contents.lit == nullptr || contents.lit->empty()) return;
  const double step = cells_a_square(at.cell), square = step * at.cell;
  const std::string key = contents.lit_key + "|" + picture.painting->key;
  if (picture.marks_key != key) {
    const int least = static_cast<int>(std::ceil(3 / square));
    picture.marks = marks_of(contents.sheet, *contents.lit, cells, step, least);
    picture.used = contents.used == nullptr ? Marks{} : marks_of(contents.sheet, *contents.used, cells, step, least);
    picture.marks_key = key;
  }
  // Few edges get a dark rim, so that they stand out on any colour.
  constexpr std::size_t kFew = 400;
  const Marks& first = contents.used == nullptr ? picture.marks : picture.used;
  if (contents.used != nullptr && picture.marks.squares != picture.used.squares)
    draw_outline(at, cells, picture.marks, square, palette().also, false);
  draw_outline(at, cells, first, square, palette().lit, first.across.size() + first.down.size() < kFew);
}

void draw_cursor(const Placement& at, const GridContents& contents) {
  if (!contents.cursor) return;
  const auto position = contents.sheet.position(*contents.cursor);
  if (!position) return;
  const double least = 5, grow = std::max(0.0, (least - at.cell) / 2);
  const ImVec2 first{static_cast<float>(at.left(position->column) - grow),
                     static_cast<float>(at.top(position->row) - grow)};
  const ImVec2 last{static_cast<float>(at.left(position->column + 1) + grow),
                    static_cast<float>(at.top(position->row + 1) + grow)};
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRect({first.x - 1, first.y - 1}, {last.x + 1, last.y + 1}, ImGui::GetColorU32(ImGuiCol_ChildBg), 0, 0,
               2 + 2 * line_scale());
  draw.AddRect(first, last, palette().cursor, 0, 0, 1 + line_scale());
}

// Of UTF-8.
std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

// Text in the middle of a cell, as large as fits; nothing where it would be too small to read. On a plate of that
// colour, where it has one.
void write_in_cell(const Placement& at, std::int64_t row, std::int64_t column, const std::string& text, double most,
                   ImU32 colour, ImU32 plate) {
  ImFont* const font = ImGui::GetFont();
  float pixels = std::min(static_cast<float>(most), ImGui::GetFontSize());
  ImVec2 size = font->CalcTextSizeA(pixels, 1e9f, 0, text.c_str());
  if (size.x > at.cell - 2) {
    pixels = std::floor(pixels * static_cast<float>(at.cell - 2) / size.x);
    size = font->CalcTextSizeA(pixels, 1e9f, 0, text.c_str());
  }
  if (pixels < kSmallestText) return;
  const ImVec2 where{static_cast<float>(at.left(column) + (at.cell - size.x) / 2),
                     static_cast<float>(at.top(row) + (at.cell - size.y) / 2)};
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (plate != 0)
    draw.AddRectFilled({where.x - 1, where.y}, {where.x + size.x + 1, where.y + size.y}, plate, pixels / 4);
  draw.AddText(font, pixels, where, colour, text.c_str());
}

// Not where a label stands.
void draw_numbers(const Placement& at, const CellPicture& picture, const GridContents& contents) {
  if (!picture.painting || !picture.painting->done() || at.cell < kNumbersFrom) return;
  const std::scoped_lock lock(picture.painting->mutex);
  const Painting& p = *picture.painting;
  // All in one size: that in which the longest fits.
  double most = at.cell / 2.2;
  for (const std::string& text : p.texts)
    if (const float width = letter_width(1) * static_cast<float>(letters_of(text)); width > 0)
      most = std::min(most, (at.cell - 3) / width);
  std::set<std::pair<std::int64_t, std::int64_t>> labelled;
  for (const GridLabel& label : contents.labels)
    if (const auto position = contents.sheet.position(label.at)) labelled.emplace(position->row, position->column);
  const std::int64_t made = made_rows(contents);
  for (std::size_t k = 0; k < p.texts.size(); ++k) {
    const auto width = static_cast<std::size_t>(p.width);
    const std::int64_t row = picture.requested.rows.first + static_cast<std::int64_t>(k / width);
    const std::int64_t column = picture.requested.columns.first + static_cast<std::int64_t>(k % width);
    if (labelled.contains({row, column})) continue;
    write_in_cell(at, row, column, p.texts[k], most, row < made ? ink_on(p.pixels[k]) : ink_under_veil(p.pixels[k]), 0);
  }
}

void draw_labels(const Placement& at, const Rectangle& cells, const GridContents& contents) {
  for (const GridLabel& label : contents.labels) {
    const auto position = contents.sheet.position(label.at);
    if (!position || position->row < cells.rows.first || position->row >= cells.rows.first + cells.rows.count ||
        position->column < cells.columns.first || position->column >= cells.columns.first + cells.columns.count)
      continue;
    write_in_cell(at, position->row, position->column, label.text, at.cell / 1.5,
                  label.positive ? IM_COL32(255, 190, 170, 255) : IM_COL32(160, 200, 255, 255), IM_COL32(0, 0, 0, 190));
  }
}

}  // namespace

void draw_cells(const Placement& at, const Rectangle& cells, CellPicture& picture, const GridContents& contents,
                Painter& painter) {
  ImGui::PushClipRect(at.first, at.last, true);
  paint(picture, contents, cells, at.cell, painter);
  draw_picture(at, picture);
  if (contents.lines) draw_lines(at, cells, contents.sheet);
  draw_veil(at, contents);
  draw_marks(at, cells, picture, contents);
  draw_numbers(at, picture, contents);
  draw_labels(at, cells, contents);
  draw_cursor(at, contents);
  ImGui::PopClipRect();
}

}  // namespace convlens::viewer
