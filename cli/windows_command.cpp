// `convlens windows`: one picture of one 3×3 window, in the input and in what each algorithm makes of the input.
//
// A coarse 8×8 piece of the sample picture is the input of a layer of one channel, with a 3×3 filter. Every cell that
// is drawn, and everything that lights up, comes from the index maps of the registry's rows. All stages have cells of
// the same size, so area is memory.
#include <algorithm>
#include <array>
#include <memory>

#include "algorithms/output_file.h"
#include "algorithms/problem/parse.h"
#include "cli/canvas.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/sample_picture.h"
#include "cli/window_cells.h"

namespace convlens::cli {

namespace {

constexpr int kSize = 8;  // the input is kSize × kSize
constexpr int kMargin = 44, kGap = 68, kCell = 20, kBigCell = 44, kTop = 104, kCaption = 84;
constexpr std::int64_t kMostColumns = 32;

constexpr Rgb kBackground{16, 19, 28}, kWhite{244, 246, 250}, kGrey{150, 158, 175}, kEmpty{30, 34, 46};

// One for each pixel of the window.
constexpr std::array<Rgb, 9> kAccents{{{255, 99, 99},
                                       {255, 160, 72},
                                       {255, 221, 87},
                                       {172, 226, 92},
                                       {70, 211, 154},
                                       {76, 201, 240},
                                       {110, 143, 255},
                                       {190, 125, 255},
                                       {255, 125, 203}}};

// The layer and its input: the mean colours of the blocks of a square of the sample picture.
struct Scene {
  ConvProblem problem;
  Coord output;  // whose window is shown
  Picture picture = sample_picture();
  Rect square{236, 176, 104, 104};  // the boat, and the sun behind it

  Rgb colour(const Coord& element) const {
    const int block = square.width / kSize, row = static_cast<int>(element[2]), column = static_cast<int>(element[3]);
    return mean_colour(picture, {square.x + column * block, square.y + row * block, block, block});
  }

  // Which pixel of the window the element is, from 0 to 8, or −1.
  int in_window(const Coord& element) const {
    for (int tap = 0; tap < 9; ++tap)
      if (problem.input_row(output[2], tap / 3) == element[2] && problem.input_column(output[3], tap % 3) == element[3])
        return tap;
    return -1;
  }
};

// How much of a cell's colour gives way to the background: less for what the output uses.
struct Dimming {
  double window_unused, others_used, others_unused;
};
constexpr Dimming kInputDimming{0, 0.15, 0.15}, kStageDimming{0.60, 0.40, 0.66};

Rgb cell_colour(const Scene& scene, const Coord& element, bool used, const Dimming& dimming) {
  const int tap = scene.in_window(element);
  if (tap < 0) return mix(scene.colour(element), kBackground, used ? dimming.others_used : dimming.others_unused);
  return mix(kAccents[static_cast<std::size_t>(tap)], kBackground, used ? 0 : dimming.window_unused);
}

// A cell that mixes several elements is cut into as many parts.
void draw_cell(Canvas& canvas, const Scene& scene, const Rect& r, const WindowCell& cell, const Dimming& dimming) {
  if (cell.elements.empty()) return canvas.fill(r, kEmpty);
  const int parts = static_cast<int>(cell.elements.size());
  int across = 1;
  while (across * across < parts) ++across;
  const int down = (parts + across - 1) / across;
  for (int k = 0; k < parts; ++k) {
    const int left = k % across * r.width / across, right = (k % across + 1) * r.width / across;
    const int top = k / across * r.height / down, bottom = (k / across + 1) * r.height / down;
    const Coord& element = cell.elements[static_cast<std::size_t>(k)];
    canvas.fill({r.x + left, r.y + top, right - left, bottom - top}, cell_colour(scene, element, cell.used, dimming));
  }
  const int tap = scene.in_window(cell.elements.front());
  if (parts > 1 || !cell.used || tap < 0) return;
  const std::string digit = std::to_string(tap + 1);
  const int scale = r.width >= 30 ? 3 : 2;
  canvas.text(r.x + (r.width - Canvas::text_width(scale, digit)) / 2 + 1, r.y + (r.height - 7 * scale) / 2, scale,
              kBackground, digit);
}

// A white line round what the output uses.
void draw_outline(Canvas& canvas, const WindowGrid& grid, int x, int y, int size) {
  constexpr int kLine = 2;
  const auto used = [&](std::int64_t r, std::int64_t c) {
    return r >= 0 && r < grid.rows && c >= 0 && c < grid.columns && grid.at(r, c).used;
  };
  for (std::int64_t r = 0; r < grid.rows; ++r)
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      if (!used(r, c)) continue;
      const int left = x + static_cast<int>(c) * size - kLine, top = y + static_cast<int>(r) * size - kLine,
                length = size + kLine;
      if (!used(r - 1, c)) canvas.fill({left, top, length + kLine, kLine}, kWhite);
      if (!used(r + 1, c)) canvas.fill({left, top + length, length + kLine, kLine}, kWhite);
      if (!used(r, c - 1)) canvas.fill({left, top, kLine, length + kLine}, kWhite);
      if (!used(r, c + 1)) canvas.fill({left + length, top, kLine, length + kLine}, kWhite);
    }
}

void draw_grid(Canvas& canvas, const Scene& scene, const WindowGrid& grid, int x, int y, int size,
               const Dimming& dimming) {
  for (std::int64_t r = 0; r < grid.rows; ++r)
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      const Rect cell{x + static_cast<int>(c) * size, y + static_cast<int>(r) * size, size - 1, size - 1};
      draw_cell(canvas, scene, cell, grid.at(r, c), dimming);
    }
  draw_outline(canvas, grid, x, y, size);
}

void heading(Canvas& canvas, int x, int y, int scale, const std::string& line) {
  for (int bold : {0, 1}) canvas.text(x + bold, y, scale, kWhite, line);
}

void draw_stage(Canvas& canvas, const Scene& scene, const WindowGrid& grid, int x, int y) {
  const std::string& family = grid.row->family;
  const double times = static_cast<double>(grid.rows * grid.columns) / (kSize * kSize);
  heading(canvas, x, y, 3, family + (grid.stage.id == family ? "" : " " + grid.stage.id));
  canvas.text(x, y + 32, 2, kGrey, std::to_string(grid.rows) + " x " + std::to_string(grid.columns) + " values,");
  canvas.text(x, y + 54, 2, kGrey, fixed(times, 2) + " x the input");
  draw_grid(canvas, scene, grid, x, y + kCaption, kCell, kStageDimming);
}

// The input as a grid, from the definition of the window.
WindowGrid input_grid(const Scene& scene) {
  WindowGrid grid{nullptr, {}, kSize, kSize, {}};
  for (std::int64_t h = 0; h < kSize; ++h)
    for (std::int64_t w = 0; w < kSize; ++w) grid.cells.push_back({{{0, 0, h, w}}, scene.in_window({0, 0, h, w}) >= 0});
  return grid;
}

constexpr int kSide = kSize * kBigCell, kPictureHeight = kSide * 3 / 4, kGridTop = kTop + kPictureHeight + 64;
constexpr int kLegendTop = kGridTop + kSide + 110, kLegendLine = 34, kLegendBottom = kLegendTop + 3 * kLegendLine;

void draw_input(Canvas& canvas, const Scene& scene) {
  const Rect all{kMargin, kTop, kSide, kPictureHeight};
  const auto across = [&](int x) { return all.x + x * all.width / static_cast<int>(scene.picture.width); };
  const auto down = [&](int y) { return all.y + y * all.height / static_cast<int>(scene.picture.height); };
  canvas.picture(all, scene.picture);
  const int left = across(scene.square.x), right = across(scene.square.x + scene.square.width);
  const int top = down(scene.square.y), bottom = down(scene.square.y + scene.square.height);
  canvas.line(left, bottom, kMargin, kGridTop - 6, kGrey);
  canvas.line(right - 2, bottom, kMargin + kSide - 3, kGridTop - 6, kGrey);
  canvas.frame({left, top, right - left, bottom - top}, 2, kWhite);

  draw_grid(canvas, scene, input_grid(scene), kMargin, kGridTop, kBigCell, kInputDimming);
  heading(canvas, kMargin, kGridTop + kSide + 18, 3, "input");
  canvas.text(kMargin, kGridTop + kSide + 50, 2, kGrey, "8 x 8 values");
}

void draw_legend(Canvas& canvas, const Scene& scene, bool with_sums) {
  const Coord pixel{0, 0, scene.problem.input_row(scene.output[2], 1), scene.problem.input_column(scene.output[3], 1)};
  const auto beside = [&](int row, int column) { return Coord{0, 0, pixel[2] + row, pixel[3] + column}; };
  const std::array<std::pair<WindowCell, const char*>, 3> entries{
      {{{{pixel}, true}, "what one output is made of"},
       {{{pixel}, false}, "the same pixel, stored again"},
       {{{pixel, beside(0, 1), beside(1, 0), beside(1, 1)}, true}, "a sum of four pixels, signed"}}};
  int y = kLegendTop;
  for (const auto& [cell, says] : entries) {
    if (cell.elements.size() > 1 && !with_sums) continue;
    draw_cell(canvas, scene, {kMargin, y, kCell, kCell}, cell, kStageDimming);
    if (cell.used) canvas.frame({kMargin - 2, y - 2, kCell + 4, kCell + 4}, 2, kWhite);
    canvas.text(kMargin + kCell + 14, y + 3, 2, kGrey, says);
    y += kLegendLine;
  }
}

bool has_sums(const WindowGrid& grid) {
  return std::ranges::any_of(grid.cells, [](const WindowCell& cell) { return cell.elements.size() > 1; });
}

Picture draw(const Scene& scene) {
  const std::vector<WindowGrid> grids = window_grids(scene.problem, scene.output, kMostColumns);
  const auto tall = [](const WindowGrid& grid) { return grid.rows > 2 * grid.columns; };

  // The tall ones stand side by side, the others lie below each other to their right.
  int right = kMargin + kSize * kBigCell + kGap, bottom = 0, widest = 0, y = kTop;
  std::vector<std::pair<int, int>> places;
  for (const WindowGrid& grid : grids)
    if (tall(grid)) right += static_cast<int>(grid.columns) * kCell + kGap;
  int x = kMargin + kSize * kBigCell + kGap;
  for (const WindowGrid& grid : grids) {
    const int width = static_cast<int>(grid.columns) * kCell, height = kCaption + static_cast<int>(grid.rows) * kCell;
    places.emplace_back(tall(grid) ? x : right, tall(grid) ? kTop : y);
    bottom = std::max(bottom, places.back().second + height);
    if (tall(grid)) {
      x += width + kGap;
    } else {
      y += height + kMargin;
      widest = std::max(widest, width);
    }
  }
  const std::string title = "One 3x3 window in the memory of each algorithm";
  const int width = std::max(right + widest, kMargin + Canvas::text_width(4, title));
  Canvas canvas(width + kMargin, std::max(bottom, kLegendBottom) + kMargin, kBackground);
  heading(canvas, kMargin, kMargin - 4, 4, title);
  draw_input(canvas, scene);
  draw_legend(canvas, scene, std::ranges::any_of(grids, has_sums));
  for (std::size_t k = 0; k < grids.size(); ++k) draw_stage(canvas, scene, grids[k], places[k].first, places[k].second);
  return canvas.result();
}

struct WindowsArguments {
  std::string output, at = "2,3", stride = "1", pad = "0";
};

Scene make_scene(const WindowsArguments& arguments) {
  const std::string size = std::to_string(kSize);
  const ConvProblem problem(parse_spec("1x1x" + size + "x" + size + " --filter 1x3x3 --stride " + arguments.stride +
                                       " --pad " + arguments.pad));
  const std::size_t comma = arguments.at.find(',');
  if (comma == std::string::npos)
    throw BadInput("--at: " + arguments.at + ", must be the row and the column of an output, as in 2,3");
  const std::int64_t row = parse_integer("--at", arguments.at.substr(0, comma), 0, problem.ho() - 1);
  const std::int64_t column = parse_integer("--at", arguments.at.substr(comma + 1), 0, problem.wo() - 1);
  return {problem, {0, 0, row, column}};
}

void windows(const WindowsArguments& arguments) {
  if (small_extension(arguments.output) != ".png")
    throw BadInput("--output: " + arguments.output + ", must end in .png");
  const Scene scene = make_scene(arguments);
  OutputFile file(arguments.output, "--output");
  write_png(draw(scene), file);
  file.commit();
  say("wrote " + arguments.output);
}

}  // namespace

void add_windows(CLI::App& app, const Globals&) {
  Command command(app, "windows", "draws one 3x3 window of a picture in the memory of each algorithm",
                  {"convlens windows -o windows.png", "convlens windows --pad 1 --at 0,0 -o corner.png",
                   "convlens windows --stride 2 --at 1,1 -o stride.png"});
  const auto arguments = std::make_shared<WindowsArguments>();
  command.text("-o,--output", arguments->output, "FILE.png", "a .png; written whole or not at all").required();
  command.text("--at", arguments->at, "P,Q", "the output whose window is shown; 2,3 when left out");
  command.text("--stride", arguments->stride, "S|HxW", "stride, 1 when left out");
  command.text("--pad", arguments->pad, "P|HxW|TxBxLxR", "zero padding, 0 when left out");
  command.run([arguments] { windows(*arguments); });
}

}  // namespace convlens::cli
