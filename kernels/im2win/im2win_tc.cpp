// im2win.tc: im2win on tensor cores, by the paper's Algorithm 1. Its ablation, as names of runs:
//
//   baseline     im2win.tc:paper                      without the paper's name: the set that is fastest here
//   wo_zigzag    im2win.tc:paper,zigzag=off
//   wo_async     im2win.tc:paper,async_copy=off
//   wo_double    im2win.tc:paper,double_buffer=off
#include <algorithm>

#include "algorithms/error.h"
#include "kernels/common/schedule.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/common/tile.h"
#include "kernels/im2win/aligned_tensor.h"
#include "kernels/im2win/im2win.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kMostPlaces = (64 << 10) / 4;  // ints in constant memory; CUDA C++ Programming Guide
constexpr int kWarp = 32, kElementBytes = 2;

// How y is shared out among blocks and warps: tile_m output channels × tile_n pixels, tile_k values of k at a time.
struct WmmaTile {
  int m = 64, n = 128, k = 64, warp_m = 32, warp_n = 64;
  bool double_buffer = true;
  int blocks = 1;  // that a multiprocessor's registers shall do for

  int sums() const { return warp_m * warp_n / kWarp; }  // of a thread
  int threads() const { return kWarp * (m / warp_m) * (n / warp_n); }

  // Slices of both operands in shared memory; the sums go through it when they are done.
  std::int64_t shared_bytes(const Request& request) const {
    const std::int64_t slices = (double_buffer ? 2 : 1) * (m + n) * (k + 8) * kElementBytes;
    const bool by_pixels = request.layouts.y == Layout::NHWC;
    const std::int64_t sums = (by_pixels ? n * (m + 4) : m * (n + 4)) * static_cast<std::int64_t>(sizeof(float));
    return std::max(slices, sums);
  }
};

// Large tiles read less for each product, and long slices wait less often; kernels/PERFORMANCE.md.
WmmaTile choose_tile(const Request& request, std::int64_t window) {
  const std::int64_t channels = request.problem.co_per_group();
  const std::string& shape = request.options["tile"];
  std::string slice = request.options["slice"];
  WmmaTile tile;
  if (shape == "auto") {
    tile.m = 32;
    for (const int m : {64, 96, 128})
      if (ceil_div(channels, m) * m <= ceil_div(channels, tile.m) * tile.m) tile.m = m;
  } else {
    tile.m = std::stoi(shape);  // "64x128" begins with 64
  }
  const bool eight = request.options.is("warps", "8");
  tile.warp_m = tile.m > 32 ? tile.m / 2 : eight ? 16 : 32;
  tile.warp_n = tile.m == 32 || eight ? 32 : 64;
  if (slice == "auto") slice = window > 32 ? "64" : window > 16 ? "32" : "16";
  tile.k = std::stoi(slice);
  // Three blocks on a multiprocessor hide more than a second slice does. They have registers for 96 sums a thread, or
  // for 64 and the second fragments; not for copies that pass through registers.
  const bool room = !eight && is_on(request, "async_copy") && is_on(request, "vector_io");
  tile.double_buffer =
      request.options.is("double_buffer", "auto") ? !(room && tile.sums() == 96) : is_on(request, "double_buffer");
  const bool three = room && tile.sums() <= (tile.double_buffer ? 64 : 96);
  tile.blocks =
      request.options.is("blocks", "auto") ? (three ? 3 : 1) : static_cast<int>(request.options.integer("blocks"));
  return tile;
}

// The tile of y that `block` computes, row by row.
std::vector<Box> boxes(const ConvProblem& p, const WmmaTile& tile, bool zigzag, const Dim3& block) {
  const std::int64_t columns = ceil_div(p.co_per_group(), tile.m);
  const TileIndex at = tile_of_block(block.x, static_cast<int>(columns * p.groups()), zigzag);
  const std::int64_t within = at.column % columns * tile.m, first_o = at.column / columns * p.co_per_group() + within;
  const std::int64_t channels = std::min<std::int64_t>(tile.m, p.co_per_group() - within);
  std::vector<Box> rows;
  std::int64_t pixel = static_cast<std::int64_t>(at.row) * tile.n;
  const std::int64_t end = std::min(pixel + tile.n, p.n() * p.ho() * p.wo());
  while (pixel < end) {
    const std::int64_t row = pixel / p.wo(), next = std::min(end, (row + 1) * p.wo());
    rows.push_back({{row / p.ho(), first_o, row % p.ho(), pixel % p.wo()}, {1, channels, 1, next - pixel, 1, 1}});
    pixel = next;
  }
  return rows;
}

// cp.async is of sm_80, and so is WMMA on BF16.
Architectures architectures(const Request& request) {
  if (is_on(request, "async_copy")) return {.why = "async_copy=on: cp.async"};
  if (request.dtype == DType::bf16) return {.why = "WMMA on bf16"};
  return {.least = 75};
}

Launch product(const Request& request, const AlignedTensor& tensor, const WmmaTile& tile) {
  const ConvProblem& p = request.problem;
  const bool zigzag = is_on(request, "zigzag"), precompute = is_on(request, "index_precompute");
  const std::int64_t rows = tensor.filter_rows(p, tile.m), pitch = tensor.filter_pitch(p, tile.k);
  std::vector<Constant> constants{{"tile_m", tile.m},      {"tile_n", tile.n},
                                  {"tile_k", tile.k},      {"warp_m", tile.warp_m},
                                  {"warp_n", tile.warp_n}, {"contiguous", tensor.contiguous},
                                  {"blocks", tile.blocks}, {"double_buffer", tile.double_buffer}};
  for (const char* option : {"zigzag", "async_copy", "index_precompute", "vector_io"})
    constants.emplace_back(option, is_on(request, option));
  std::vector<std::int64_t> places(precompute ? static_cast<std::size_t>(pitch / 8) : 1);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = tensor.place(p, static_cast<std::int64_t>(i));
  constants.emplace_back("places", places);

  Kernel texts =
      tensor.with_sizes(kernel(request, "im2win/im2win_tc.cu", "im2win_tc", std::move(constants)), p, tile.m, tile.k);
  texts.architectures = architectures(request);
  Launch launch{
      .sentence = "multiplies the windows of the im2win tensor by the filter",
      .kernel = std::move(texts),
      .grid = {ceil_div(p.n() * p.ho() * p.wo(), tile.n) * rows / tile.m * p.groups()},
      .block = {tile.threads()},
      .shared_bytes = tile.shared_bytes(request),
      .arguments = {buffer("im2win"), buffer("filter"), bias(), y()},
      .tiles = [p, tile, zigzag](const Dim3& block) { return boxes(p, tile, zigzag, block); },
  };
  check_shared_memory(launch);
  return launch;
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const AlignedTensor tensor(p);
  const WmmaTile tile = choose_tile(request, tensor.window(p));
  const Stage windows = tensor.tensor_stage(request), filter = tensor.filter_stage(request, tile.m, tile.k);
  const std::int64_t pixels = ceil_div(p.n() * p.ho() * p.wo(), tile.n) * tile.n;
  check_counted("a row of the im2win tensor", tensor.columns * tensor.column, "elements");
  for (const Stage& stage : {windows, filter}) check_counted(stage.id, stage.cells() / 8, "eighths");

  Decisions d = decisions(
      {request,
       {tensor.tensor_launch(request), tensor.filter_launch(request, tile.m, tile.k), product(request, tensor, tile)}});
  d.stages = {windows, filter};
  d.executed_flops = 2 * pixels * filter.cells();
  d.error_model = tensor_core_sum_model(p, request.dtype);
  d.notes = {"tile: " + std::to_string(tile.m) + "x" + std::to_string(tile.n) + ", slices of " +
                 std::to_string(tile.k) + ", warps of " + std::to_string(tile.warp_m) + "x" +
                 std::to_string(tile.warp_n),
             std::string("double_buffer: ") + (tile.double_buffer ? "on" : "off")};
  if (const std::int64_t zeros = tensor.zeros(p); zeros > 0)
    d.notes.push_back("im2win tensor: " + std::to_string(zeros * kElementBytes) + " of its bytes are for alignment");
  return d;
}

std::vector<Option> options() {
  const auto ablation = [](const char* id, const char* title, const char* sentence, const char* otherwise = "on") {
    return Option{id, title, sentence, {"on", "off"}, otherwise, true};
  };
  return {
      {"tile",
       "Tile",
       "Output channels × pixels of a block; auto: the largest of those that leave the fewest channels idle.",
       {"auto", "32x128", "64x128", "96x128", "128x128"},
       "auto"},
      {"slice",
       "Slice",
       "How many values of k are in shared memory at a time; auto: 64, or what holds a shorter window.",
       {"auto", "16", "32", "64"},
       "auto"},
      {"warps", "Warps", "How many warps share a block's tile: fewer read less, more hide more.", {"4", "8"}, "4"},
      {"blocks",
       "Blocks a multiprocessor",
       "For how many blocks at a time a multiprocessor's registers shall do; auto: three, where they can.",
       {"auto", "1", "2", "3"},
       "auto"},
      ablation("zigzag", "Zig-zag",
               "Let every second row of tiles run backwards, so that the filter at a turn is still in the L2 cache."),
      ablation("async_copy", "Asynchronous copies",
               "Copy from global to shared memory past the registers (cp.async, since sm_80)."),
      {"double_buffer",
       "Double buffer",
       "Copy the next slice, and load the next fragments, while these are multiplied; auto: but where that leaves no "
       "room for a third block.",
       {"auto", "on", "off"},
       "auto",
       true},
      ablation("index_precompute", "Index precomputation",
               "Keep the places of a window's elements in constant memory, or compute them.", "off"),
      ablation("vector_io", "Vector loads and stores",
               "Move 16 bytes at a time to shared memory and to y, or 4 and single elements."),
      sizes_option()};
}

Rule places_in_constant_memory() {
  return {"K ≤ 131072 with index_precompute", [](const Request& request) -> std::optional<Refusal> {
            const std::int64_t window = AlignedTensor(request.problem).window(request.problem);
            if (!is_on(request, "index_precompute") || ceil_div(window, 64) * 8 <= kMostPlaces) return std::nullopt;
            Request nearest = request;
            nearest.options.set("index_precompute", "off");
            return Refusal{"index_precompute: on, a window of " + std::to_string(window) + " elements, must be ≤ " +
                               std::to_string(8 * kMostPlaces) + " for its places in constant memory",
                           nearest};
          }};
}

}  // namespace

const Algorithm& im2win_tc() {
  static const Algorithm row{
      .id = "im2win.tc",
      .family = "im2win",
      .unit = Unit::tc,
      .title = "im2win on tensor cores",
      .sentence = "Stores the im2win tensor and multiplies its windows, which overlap in memory, by the filter.",
      .source = "Fu, Ma, Zhang, Zhao, Lu & Liu, 2026, arXiv 2608.20725",
      .options = options(),
      .rules = {f16_or_bf16(), int_offsets(), int_indices(), places_in_constant_memory()},
      .decide = decide,
      .named_options = {{"paper",
                         "The paper's baseline: its larger block, all of its optimisations but index precomputation.",
                         "tile=64x128,slice=64,warps=4,blocks=auto,zigzag=on,async_copy=on,double_buffer=on,"
                         "index_precompute=off,vector_io=on,sizes=constant"}},
  };
  return row;
}

}  // namespace convlens::gpu
