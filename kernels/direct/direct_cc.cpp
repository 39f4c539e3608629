// direct.cc: direct convolution on CUDA cores. Its ladder, as names of runs:
//
//   naive             direct.cc:tiling=naive
//   shared memory     direct.cc:tile=64x64/4x4,vector_io=off,double_buffer=off
//   micro-kernel      direct.cc:vector_io=off,double_buffer=off
//   vectorised        direct.cc:double_buffer=off
//   double-buffered   direct.cc
#include <algorithm>
#include <limits>

#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/tile.h"
#include "kernels/direct/direct.h"

namespace convlens::gpu {

namespace {

constexpr int kNaiveThreads = 256;
constexpr int kCellBytes = 8;     // of window.cuh
constexpr int kMostTaps = 64;     // of whole filters in a stage; larger ones go row by row
constexpr int kImagesAcross = 8;  // units of images side by side in CHWN: 128 bytes of a row of images

Launch naive(const Request& request) {
  return {
      .sentence = "adds up every output's window",
      .kernel = kernel(request, "direct/direct_naive.cu", "direct_naive", {{"threads", kNaiveThreads}}),
      .grid = {ceil_div(elements(request.problem.y_shape()), kNaiveThreads)},
      .block = {kNaiveThreads},
      .arguments = {x(), w(), bias(), y()},
  };
}

// A tile of units of images × rows × columns of units, and the patch of x under it, by the formulas of patch.cuh.
struct Rectangle {
  TileShape tile;
  RowWindow window;
  int rows = 1, columns = 1, stage_rows = 1, channels = 1;
  std::int64_t row_positions = 0, patch_floats = 0, pitch = 0;  // of a channel's patch
  std::int64_t across_q = 1, across_p = 1, tiles = 1;

  // As many rows of `columns` units as the tile has units for, or a few less if they cover y's rows as well.
  Rectangle(const Request& request, const TileShape& tile, int images_across, int columns)
      : tile(tile), window(request, images_across), columns(columns) {
    const ConvProblem& p = request.problem;
    const std::int64_t most_rows = tile.units() / window.across() / columns;
    rows = static_cast<int>(ceil_div(p.ho(), ceil_div(p.ho(), most_rows)));
    const ConvSpec& s = p.spec();
    if (p.taps() <= kMostTaps) stage_rows = static_cast<int>(s.hf);
    const std::int64_t row_step = stage_rows == 1 ? s.stride_h : 1;
    const std::int64_t patch_rows = ((rows - 1) * s.stride_h + (stage_rows - 1) * s.dilation_h) / row_step + 1;
    row_positions = columns * window.step + window.halo;
    patch_floats = patch_rows * row_positions * window.phases * window.position_floats;
    channels =
        stage_channels(p, tile, stage_rows * static_cast<int>(s.wf), [&](int count) { return bytes(request, count); });
    pitch = channel_pitch(request, channels, patch_floats);
    across_q = ceil_div(p.wo(), columns * window.unit_columns());
    across_p = ceil_div(p.ho(), rows);
    tiles = ceil_div(p.n(), window.images()) * across_p * across_q;
  }
  std::int64_t row_pixels(const ConvProblem& p) const {
    return std::min<std::int64_t>(p.wo(), columns * window.unit_columns());
  }
  std::int64_t cells() const { return patch_floats / window.copy_floats; }
  std::int64_t bytes(const Request& request, int count) const {  // of shared memory, with `count` channels a stage
    const std::int64_t filter = tile.m * stage_rows * request.problem.wf();
    return std::max(tile.staged_bytes(),
                    slot_count(request) * 4 * count * (filter + channel_pitch(request, count, patch_floats)) +
                        cells() * kCellBytes);
  }
  PackedFilter filter(const ConvProblem& p) const { return {tile.m, channels, stage_rows * static_cast<int>(p.wf())}; }

  Box box(const ConvProblem& p, const Dim3& block) const {
    const auto [first_o, channels_of_tile, tile_row] = filter(p).tile_of(p, block);
    const std::int64_t q = tile_row % across_q * columns * window.unit_columns();
    const std::int64_t top = tile_row / across_q % across_p * rows,
                       n = tile_row / across_q / across_p * window.images();
    return {{n, first_o, top, q},
            {std::min<std::int64_t>(window.images(), p.n() - n), channels_of_tile,
             std::min<std::int64_t>(rows, p.ho() - top),
             std::min<std::int64_t>(columns * window.unit_columns(), p.wo() - q), 1, 1}};
  }
};

// Of all tiles, shapes of patches and kinds of units that are allowed, what costs least.
Rectangle choose_rectangle(const Request& request) {
  const ConvProblem& p = request.problem;
  const bool chwn = request.layouts.x == Layout::CHWN, nchw = request.layouts.x == Layout::NCHW;
  std::optional<Rectangle> best;
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : candidate_tiles(request))
    for (const int images : {0, chwn ? kImagesAcross : 1}) {
      if (!request.options.is("unit", "auto") && request.options.is("unit", "images") != (images > 0)) continue;
      const int units = tile.units() / std::max(images, 1);
      for (int columns = 1; columns <= units; ++columns) {
        const Rectangle r(request, tile, images, columns);
        const double needed = cost(request, tile, r.tiles * r.filter(p).tiles(p), r.bytes(request, r.channels),
                                   p.ci_per_group() * p.hf() / r.stage_rows,
                                   {.values = static_cast<double>(r.stage_rows * p.wf()),
                                    .window_loads = static_cast<double>(r.window.loads * r.stage_rows),
                                    .copies = static_cast<double>(r.cells()),
                                    .floats = static_cast<double>(r.patch_floats) *
                                              (nchw ? 1 + 7.0 / static_cast<double>(r.row_positions) : 1)},
                                   images == 0, r.row_pixels(p));
        if (!best || needed < least) least = needed, best = r;
      }
    }
  return *best;
}

Launch tiled(const Request& request, const Rectangle& r) {
  const ConvProblem& p = request.problem;
  std::vector<Constant> constants = tile_constants(request, r.tile, r.channels, r.pitch, r.window.copy_floats);
  const std::vector<Constant> window = window_constants(request, r.window);
  constants.insert(constants.end(), window.begin(), window.end());
  constants.insert(constants.end(), {{"stage_rows", r.stage_rows},
                                     {"stride_down", static_cast<int>(p.spec().stride_h)},
                                     {"dilation_down", static_cast<int>(p.spec().dilation_h)},
                                     {"tile_rows", r.rows},
                                     {"tile_columns", r.columns},
                                     {"checked", needs_checks(p, r.channels)}});
  Launch launch{
      .sentence = "reads the patch under each tile once and adds up the windows",
      .kernel = kernel(request, "direct/direct_cc.cu", "direct_cc", std::move(constants)),
      .grid = {r.tiles * r.filter(p).tiles(p)},
      .block = {r.tile.threads()},
      .shared_bytes = r.bytes(request, r.channels),
      .arguments = {x(), PackedFilter::argument(request), bias(), y()},
      .tiles = [r, p](const Dim3& block) { return std::vector{r.box(p, block)}; },
  };
  check_shared_memory(launch);
  return launch;
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  Decisions d;
  if (request.options.is("tiling", "naive")) {
    d = decisions({request, {naive(request)}});
    d.stages = {input_stage(p, request.dtype)};
  } else {
    const Rectangle r = choose_rectangle(request);
    std::vector<Step> steps = r.filter(p).steps(request);
    steps.emplace_back(tiled(request, r));
    d = decisions({request, std::move(steps)});
    d.stages = {input_stage(p, request.dtype), r.filter(p).stage(request)};
    d.notes = {"tile: " + r.tile.text() + ", " + std::to_string(r.rows) + " rows × " + std::to_string(r.columns) +
               " units of four " + (r.window.by_images() ? "images" : "columns")};
  }
  d.executed_flops = p.flops();
  d.error_model = plain_sum_model(p, request.dtype);
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all = tile_options();
  all.insert(all.begin(), {tiling_option(), unit_option(), swizzle_option()});
  return all;
}

}  // namespace

const Algorithm& direct_cc() {
  static const Algorithm row{
      .id = "direct.cc",
      .family = "direct",
      .unit = Unit::cc,
      .title = "Direct on CUDA cores",
      .sentence = "Reads the patch of x under a tile of y once, and adds up each output's window where it lies.",
      .source = "the definition",
      .options = options(),
      .rules = {f32_only(), int_offsets(), int_indices()},
      .decide = decide,
      .named_options = ladder(/*has_naive=*/true),
  };
  return row;
}

}  // namespace convlens::gpu
