#include "kernels/common/tile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>

#include "algorithms/error.h"
#include "kernels/common/shared_memory.h"

namespace convlens::gpu {

namespace {

constexpr int kMultiprocessors = 132;  // of an H200
constexpr int kWarp = 32;
constexpr std::int64_t kSharedBytes = 227 * 1024, kReservedBytes = 1024;  // of a multiprocessor; the system's, a block

// Estimates of `cost`: a copy with its address; a byte from the L2 cache, and one of y; what one warp alone leaves of
// the slots; and how much longer products take whose windows are shifted in registers, where their banks collide
// (measured on the twelve layers: kernels/PERFORMANCE.md).
constexpr double kSlotsACopy = 8, kSlotsAByte = 0.1, kSlotsAStoredByte = 0.25, kExposed = 0.25, kShiftedWindows = 1.1;

// Shapes for few and for many output channels; the last is the smallest register tile there is.
const std::array kTiles{"8x256/8x8", "32x256/8x8", "64x128/8x8", "96x128/12x8", "128x64/8x8", "64x64/4x4"};

}  // namespace

std::int64_t TileShape::staged_bytes() const { return 4 * (n + m / thread_m * (n + 8)); }

std::string TileShape::text() const {
  return std::to_string(m) + "x" + std::to_string(n) + "/" + std::to_string(thread_m) + "x" + std::to_string(thread_n);
}

TileShape TileShape::parse(std::string_view text) {
  TileShape shape;
  for (int* number : {&shape.m, &shape.n, &shape.thread_m, &shape.thread_n}) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(rest - text.data()) + 1));  // and the separator
  }
  if (shape.thread_m * shape.thread_n > 64) shape.resident = 384;
  return shape;
}

RowWindow::RowWindow(const Request& request, int images_across) : images_across(images_across) {
  const ConvSpec& s = request.problem.spec();
  const std::int64_t reach = request.problem.extent_w();
  if (request.problem.wo() > 1) stride = s.stride_w;  // of a single column it doesn't matter
  const bool split = !by_images() && is_on(request, "swizzle") && stride > 1;
  const std::int64_t period = split ? stride / std::gcd(stride, s.dilation_w) : 1;
  phases = std::min(s.wf, period);
  step = split ? 4 : !by_images() ? 4 * stride : std::min(stride, reach);
  const std::int64_t overhang = split ? (reach - 1) / stride : std::max<std::int64_t>(0, reach - stride);
  halo = by_images() ? overhang : ceil_div(overhang, 4) * 4;
  loads = by_images() ? s.wf : phases * ceil_div((split ? 4 : 4 * stride) + overhang, 4);
  position_floats = by_images() ? 4 * images_across : 1;
  const bool runs_of_images = by_images() && request.layouts.x == Layout::CHWN && s.n % 4 == 0;
  copy_floats = runs_of_images && is_on(request, "vector_io") ? 4 : 1;
}

// How many times its bytes a tile costs to store: what is written less than 32 bytes at a time is written again.
double store_effort(const Request& request, bool by_columns, std::int64_t row_pixels) {
  const ConvProblem& p = request.problem;
  const auto by_vectors = [](std::int64_t run) { return run % 4 == 0 ? 1.0 : run % 2 == 0 ? 2.0 : 4.0; };
  if (request.layouts.y == Layout::NHWC) return by_vectors(p.co_per_group());
  if (request.layouts.y == Layout::CHWN) return by_columns ? 4 : by_vectors(p.n());
  if (by_columns && p.wo() % 4 == 0) return 1;
  return 1 + 7.0 / static_cast<double>(std::min<std::int64_t>(row_pixels, kWarp));  // a warp's row of pixels
}

double cost(const Request& request, const TileShape& tile, std::int64_t tiles, std::int64_t shared_bytes,
            std::int64_t lines, const LineCost& line, bool by_columns, std::int64_t row_pixels) {
  if (shared_bytes > kLeastSharedBytes) return std::numeric_limits<double>::infinity();
  const double products = line.values * tile.thread_m * tile.thread_n * (by_columns ? kShiftedWindows : 1);
  const double loads = line.values * tile.thread_m / 4 + line.window_loads * tile.thread_n / 4;
  const double copies = kSlotsACopy * (line.copies + line.values * tile.m / 4) / tile.threads();
  const double warps = static_cast<double>(ceil_div(tile.threads(), kWarp));
  const double bytes = 4 * (line.floats + line.values * tile.m / 2);  // half of the filter's are found in L1
  const double stored = 4.0 * tile.m * tile.n * store_effort(request, by_columns, row_pixels);
  const std::int64_t blocks = std::min<std::int64_t>(tile.blocks(), kSharedBytes / (shared_bytes + kReservedBytes));
  const double warps_a_scheduler = warps * static_cast<double>(std::max<std::int64_t>(1, blocks)) / 4;
  const double slots = warps * (products + loads + copies) * (1 + kExposed / warps_a_scheduler);
  const double tile_cost = static_cast<double>(lines) * (slots + kSlotsAByte * bytes) + kSlotsAStoredByte * stored;
  return static_cast<double>(ceil_div(tiles, kMultiprocessors)) * tile_cost;
}

std::int64_t channel_pitch(const Request& request, int stage_channels, std::int64_t floats) {
  std::int64_t pitch = ceil_div(floats, 4) * 4;
  if (request.layouts.x == Layout::NHWC && stage_channels % 4 == 0) {
    const int lanes = stage_channels % 8 == 0 ? 8 : 4;  // as in kernels/common/fetch.cuh
    while (pitch % 32 != 32 / lanes) pitch += 4;
  }
  return pitch;
}

bool needs_checks(const ConvProblem& problem, int stage_channels) {
  const ConvSpec& s = problem.spec();
  return s.pad_top != 0 || s.pad_bottom != 0 || s.pad_left != 0 || s.pad_right != 0 ||
         problem.ci_per_group() % stage_channels != 0;
}

int stage_channels(const ConvProblem& problem, const TileShape& tile, int taps,
                   const std::function<std::int64_t(int)>& shared_bytes) {
  constexpr int kValues = 48;
  const std::int64_t budget = kSharedBytes / tile.blocks() - kReservedBytes, all = problem.ci_per_group();
  const std::int64_t most = std::max(1, kValues / taps);
  if (all <= most && shared_bytes(static_cast<int>(all)) <= budget) return static_cast<int>(all);
  int best = 1;
  for (int count = 2; count <= most && shared_bytes(count) <= budget; count *= 2)
    if (ceil_div(all, count) * count <= ceil_div(all, best) * best) best = count;
  return best;
}

bool is_on(const Request& request, std::string_view option) { return request.options.is(option, "on"); }

std::vector<Option> tile_options() {
  std::vector<std::string> shapes{"auto"};
  shapes.insert(shapes.end(), kTiles.begin(), kTiles.end());
  return {{"tile", "Tile",
           "Output channels × pixels of a block, and of a thread; auto: what leaves the least work for the layer.",
           shapes, "auto"},
          {"vector_io",
           "Vector loads and stores",
           "Move four values at a time, to and from global and shared memory.",
           {"on", "off"},
           "on",
           true},
          {"double_buffer",
           "Double buffer",
           "Copy the next stage's operands while this one's are multiplied.",
           {"on", "off"},
           "on",
           true},
          {"index_precompute",
           "Index precomputation",
           "Compute once a block where each value of a tile lies in x, or again for every stage.",
           {"on", "off"},
           "on",
           true},
          {"pack_filter",
           "Filter packing",
           "Lay the filter out in the order of the loop first, in a workspace, or read it where it lies.",
           {"on", "off"},
           "on",
           true},
          sizes_option()};
}

Option swizzle_option() {
  return {"swizzle",
          "Swizzle",
          "With a horizontal stride, keep every s-th column together in shared memory, or leave columns as they are.",
          {"on", "off"},
          "on",
          true};
}

Option tiling_option() {
  return {"tiling",
          "Tiling",
          "Compute a tile of outputs in registers, or one output a thread from global memory.",
          {"registers", "naive"},
          "registers",
          true};
}

Option unit_option() {
  return {"unit",
          "Unit",
          "Which four pixels are loaded and stored together: of a row, or of four images.",
          {"auto", "columns", "images"},
          "auto"};
}

std::vector<NamedOptions> ladder(bool has_naive) {
  std::vector<NamedOptions> rungs{
      {"shared", "Operands in shared memory, few sums a thread.", "tile=64x64/4x4,vector_io=off,double_buffer=off"},
      {"micro", "That with a micro-kernel: as many sums a thread as registers hold.",
       "vector_io=off,double_buffer=off"},
      {"vectorised", "That with four values a load and store.", "vector_io=on,double_buffer=off"},
      {"double_buffered", "That with the next stage copied meanwhile: the default.", "vector_io=on,double_buffer=on"}};
  if (has_naive)
    rungs.insert(rungs.begin(), {"naive", "One output a thread, straight from global memory.", "tiling=naive"});
  return rungs;
}

std::vector<TileShape> candidate_tiles(const Request& request) {
  std::vector<TileShape> all;
  if (!request.options.is("tile", "auto")) all = {TileShape::parse(request.options["tile"])};
  for (const char* text : kTiles)
    if (const TileShape tile = TileShape::parse(text); request.options.is("tile", "auto") && tile.thread_m > 4)
      all.push_back(tile);
  // Sizes and offsets that the compiler doesn't know take registers of their own.
  if (sizes_at_run_time(request) || !is_on(request, "index_precompute"))
    for (TileShape& tile : all) tile.resident = 384;
  return all;
}

int slot_count(const Request& request) { return is_on(request, "double_buffer") ? 2 : 1; }

std::vector<Constant> tile_constants(const Request& request, const TileShape& tile, int stage_channels,
                                     std::int64_t pitch, int copy_floats) {
  return {{"tile_m", tile.m},
          {"tile_n", tile.n},
          {"thread_m", tile.thread_m},
          {"thread_n", tile.thread_n},
          {"min_blocks", tile.blocks()},
          {"double_buffer", is_on(request, "double_buffer")},
          {"stage_channels", stage_channels},
          {"pitch", static_cast<int>(pitch)},
          {"copy_floats", copy_floats},
          {"packed", is_on(request, "pack_filter")},
          {"vector_io", is_on(request, "vector_io")},
          {"index_precompute", is_on(request, "index_precompute")}};
}

std::vector<Constant> window_constants(const Request& request, const RowWindow& window) {
  const ConvSpec& s = request.problem.spec();
  return {{"taps", static_cast<int>(s.wf)},
          {"stride", static_cast<int>(window.stride)},
          {"dilation", static_cast<int>(s.dilation_w)},
          {"images_across", window.images_across},
          {"swizzle", is_on(request, "swizzle")}};
}

Rule int_indices() {
  return {"x and y " + kUpToMostCounted + " elements", [](const Request& request) -> std::optional<Refusal> {
            for (const auto& [name, shape] :
                 {std::pair{"x", request.problem.x_shape()}, std::pair{"y", request.problem.y_shape()}})
              if (std::string why = why_not_counted(name, elements(shape), "elements"); !why.empty())
                return Refusal{std::move(why), {}};
            return std::nullopt;
          }};
}

void check_shared_memory(const Launch& launch) {
  if (launch.shared_bytes > kLeastSharedBytes)
    throw Unsupported("shared memory of " + launch.kernel.entry + ": " + std::to_string(launch.shared_bytes) +
                      " bytes a block, must be ≤ " + std::to_string(kLeastSharedBytes));
}

}  // namespace convlens::gpu
