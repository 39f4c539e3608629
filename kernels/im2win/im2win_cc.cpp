// im2win.cc: im2win on CUDA cores, its strips formed in shared memory.
#include <algorithm>

#include "algorithms/im2win/im2win.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/tile.h"
#include "kernels/im2win/im2win.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kCellBytes = 8;  // of strip.cuh

Decisions decide(const Request& request) {
  const ConvProblem& problem = request.problem;
  const ConvSpec& s = problem.spec();
  const OptionSet& o = request.options;
  const TileShape tile = *TileShape::parse(o["tile"]);
  const int stages = static_cast<int>(o.integer("stages"));
  const int channels = static_cast<int>(std::min<std::int64_t>(o.integer("channels"), problem.ci_per_group()));
  const RowWindow window(request, static_cast<int>(o.integer("images")));
  const PackedFilter filter{tile.m, channels, static_cast<int>(s.wf)};

  const std::int64_t per_row = ceil_div(problem.wo(), window.unit_columns());
  const int groups = tile.units() / window.across();
  const std::int64_t rows = (groups + per_row - 2) / per_row + 1;  // that a tile can touch
  const int strip_positions = static_cast<int>(groups * window.step + rows * window.halo);
  const int strip_floats = window.phases * strip_positions * window.position_floats;
  const int pitch = channel_pitch(request, channels, strip_floats);
  const std::int64_t all_groups = ceil_div(s.n, window.images()) * problem.ho() * per_row;

  Launch launch{
      .sentence = "forms strips of the im2win tensor and multiplies their windows",
      .kernel = kernel(request, "im2win/im2win_cc.cu", "im2win_cc",
                       {{"tile_m", tile.m},
                        {"tile_n", tile.n},
                        {"thread_m", tile.thread_m},
                        {"thread_n", tile.thread_n},
                        {"stages", stages},
                        {"stage_channels", channels},
                        {"min_blocks", static_cast<int>(o.integer("blocks"))},
                        {"taps", static_cast<int>(s.wf)},
                        {"stride", static_cast<int>(s.stride_w)},
                        {"dilation", static_cast<int>(s.dilation_w)},
                        {"images_across", window.images_across},
                        {"strip_positions", strip_positions},
                        {"pitch", pitch},
                        {"copy_floats", window.copy_floats},
                        {"swizzle", is_on(request, "swizzle")},
                        {"vector_io", is_on(request, "vector_io")},
                        {"index_precompute", is_on(request, "index_precompute")},
                        {"checked", needs_checks(problem, channels)},
                        {"zigzag", false}}),
      .grid = {ceil_div(all_groups, groups) * filter.tiles(problem)},
      .block = {tile.threads()},
      .shared_bytes = stages * 4 * (filter.stage_floats() + channels * pitch) +
                      strip_floats / window.copy_floats * kCellBytes,
      .arguments = {x(), buffer("filter"), bias(), y()},
  };
  Decisions d = decisions({request, {filter.launch(request), std::move(launch)}});
  Stage tensor = im2win_stage(problem, request.dtype, WindowOrder::NCHW);
  tensor.stored = false;
  d.stages = {tensor, filter.stage(problem)};
  d.executed_flops = problem.flops();
  d.error_model = plain_sum_model(problem, request.dtype);
  return d;
}

}  // namespace

const Algorithm& im2win_cc() {
  static const Algorithm row{
      .id = "im2win.cc",
      .family = "im2win",
      .unit = Unit::cc,
      .title = "im2win on CUDA cores",
      .sentence = "Forms strips of the im2win tensor in shared memory and reads every tap's window there.",
      .source = "Lu, Chu & Liu, Euro-Par 2023, arXiv 2306.14316",
      .options = {{"tile", "", "", {}, "64x128/8x8", false, [](std::string_view) { return std::string(); }},
                  {"stages", "", "", {"1", "2", "3", "4"}, "3"},
                  {"channels", "", "", {}, "8", false, integer_between(1, 64)},
                  {"blocks", "", "", {}, "1", false, integer_between(1, 16)},
                  {"images", "", "", {"0", "1", "2", "4", "8", "16"}, "0"},
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
