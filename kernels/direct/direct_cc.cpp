// direct.cc: direct convolution on CUDA cores.
#include <algorithm>
#include <limits>

#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/tile.h"
#include "kernels/direct/direct.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kNaiveThreads = 256;
constexpr int kCellBytes = 8;  // of window.cuh

Launch naive(const Request& request) {
  return {
      .sentence = "adds up every output's window",
      .kernel = kernel(request, "direct/direct_naive.cu", "direct_naive", {{"threads", kNaiveThreads}}),
      .grid = {ceil_div(elements(request.problem.y_shape()), kNaiveThreads)},
      .block = {kNaiveThreads},
      .arguments = {x(), w(), bias(), y()},
  };
}

// A tile of pixels: units of images × rows × columns of units, and the patch of x under it.
struct Rectangle {
  RowWindow window;
  int rows = 1, columns = 1, stage_rows = 1;
  std::int64_t tiles = 0;

  int row_floats() const { return (columns * window.step + window.halo) * window.phases * window.position_floats; }
  int patch_floats(const ConvSpec& s) const {
    const std::int64_t row_step = stage_rows == 1 ? s.stride_h : 1;
    return static_cast<int>(((rows - 1) * s.stride_h + (stage_rows - 1) * s.dilation_h) / row_step + 1) * row_floats();
  }
};

// The rectangle that leaves the least work: multiply-adds of all tiles, outputs beyond y included, and two slots for
// every value fetched, in units of thread_m multiply-adds for four pixels.
Rectangle choose_rectangle(const Request& request, const TileShape& tile, int stage_rows, bool by_images) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  std::optional<Rectangle> best;
  double least = std::numeric_limits<double>::infinity();
  const bool images_together = request.layouts.x == Layout::CHWN;
  for (int images = by_images ? 1 : 0; images <= (by_images ? tile.units() : 0); images = images == 0 ? 1 : 2 * images)
    for (int rows = 1; rows * std::max(images, 1) <= tile.units(); rows *= 2) {
      if (tile.units() % (rows * std::max(images, 1)) != 0) continue;
      Rectangle r{RowWindow(request, images), rows, tile.units() / rows / std::max(images, 1), stage_rows};
      r.tiles = ceil_div(s.n, r.window.images()) * ceil_div(p.ho(), rows) *
                ceil_div(p.wo(), r.columns * r.window.unit_columns());
      const double fetched = static_cast<double>(r.patch_floats(s)) / r.window.copy_floats;
      const double narrow = images_together && images < 8 ? 8.0 / std::max(images, 1) : 1;  // less than 128 bytes together
      const double work = static_cast<double>(r.tiles) *
                          (static_cast<double>(tile.n * stage_rows * s.wf) + 2 * fetched * narrow);
      if (work < least) least = work, best = r;
    }
  return *best;
}

Launch tiled(const Request& request, const TileShape& tile, const PackedFilter& filter, const Rectangle& r) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const int stages = static_cast<int>(request.options.integer("stages"));
  const int pitch = channel_pitch(request, filter.stage_channels, r.patch_floats(s));
  return {
      .sentence = "reads the patch under each tile once and adds up the windows",
      .kernel = kernel(request, "direct/direct_cc.cu", "direct_cc",
                       {{"tile_m", tile.m},
                        {"tile_n", tile.n},
                        {"thread_m", tile.thread_m},
                        {"thread_n", tile.thread_n},
                        {"stages", stages},
                        {"min_blocks", static_cast<int>(request.options.integer("blocks"))},
                        {"stage_channels", filter.stage_channels},
                        {"stage_rows", r.stage_rows},
                        {"taps", static_cast<int>(s.wf)},
                        {"stride", static_cast<int>(s.stride_w)},
                        {"dilation", static_cast<int>(s.dilation_w)},
                        {"stride_down", static_cast<int>(s.stride_h)},
                        {"dilation_down", static_cast<int>(s.dilation_h)},
                        {"images_across", r.window.images_across},
                        {"tile_rows", r.rows},
                        {"tile_columns", r.columns},
                        {"copy_floats", r.window.copy_floats},
                        {"pitch", pitch},
                        {"swizzle", is_on(request, "swizzle")},
                        {"vector_io", is_on(request, "vector_io")},
                        {"index_precompute", is_on(request, "index_precompute")},
                        {"checked", needs_checks(p, filter.stage_channels)},
                        {"zigzag", false}}),
      .grid = {r.tiles * filter.tiles(p)},
      .block = {tile.threads()},
      .shared_bytes = stages * 4 * (filter.stage_floats() + filter.stage_channels * pitch) +
                      r.patch_floats(s) / r.window.copy_floats * kCellBytes,
      .arguments = {x(), buffer("filter"), bias(), y()},
  };
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  Decisions d;
  if (request.options.is("tiling", "naive")) {
    d = decisions({request, {naive(request)}});
    d.stages = {input_stage(p, request.dtype)};
  } else {
    const TileShape tile = *TileShape::parse(request.options["tile"]);
    const int stage_rows = s.hf * s.wf <= 64 ? static_cast<int>(s.hf) : 1;
    PackedFilter filter{tile.m, 1, stage_rows * static_cast<int>(s.wf)};
    filter.stage_channels = static_cast<int>(
        std::clamp<std::int64_t>(request.options.integer("channels") / filter.stage_taps, 1, p.ci_per_group()));
    const Rectangle rectangle = choose_rectangle(request, tile, stage_rows, request.options.is("unit", "images"));
    d = decisions({request, {filter.launch(request), tiled(request, tile, filter, rectangle)}});
    d.stages = {input_stage(p, request.dtype), filter.stage(p)};
  }
  d.executed_flops = p.flops();
  d.error_model = plain_sum_model(p, request.dtype);
  return d;
}

}  // namespace

const Algorithm& direct_cc() {
  static const Algorithm row{
      .id = "direct.cc",
      .family = "direct",
      .unit = Unit::cc,
      .title = "Direct on CUDA cores",
      .sentence = "Adds up each output's window where it lies, without a copy.",
      .source = "the definition",
      .options = {{"tiling", "", "", {"registers", "naive"}, "registers"},
                  {"tile", "", "", {}, "64x128/8x8", false, [](std::string_view) { return std::string(); }},
                  {"unit", "", "", {"columns", "images"}, "columns"},
                  {"stages", "", "", {"1", "2", "3", "4"}, "2"},
                  {"channels", "", "", {}, "36", false, integer_between(1, 64)},
                  {"blocks", "", "", {}, "1", false, integer_between(1, 16)},
                  {"swizzle", "", "", {"on", "off"}, "on"},
                  {"vector_io", "", "", {"on", "off"}, "on"},
                  {"index_precompute", "", "", {"on", "off"}, "on"},
                  sizes_option()},
      .rules = {f32_only(), int_offsets()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
