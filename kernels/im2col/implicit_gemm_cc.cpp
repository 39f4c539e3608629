// implicit_gemm.cc: im2col's product on CUDA cores, its matrix gathered tile by tile.
#include <algorithm>

#include "algorithms/im2col/im2col.h"
#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/tile.h"
#include "kernels/im2col/im2col.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

// A pixel's window in x, in shared memory: {offset, row, column}.
constexpr int kCellBytes = 12;

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const OptionSet& o = request.options;
  const TileShape tile = *TileShape::parse(o["tile"]);
  const int stages = static_cast<int>(o.integer("stages"));
  const bool vector_io = o.is("vector_io", "on"), along_n = request.layouts.x == Layout::CHWN;
  const int k = static_cast<int>(o.integer("channels"));
  PackedFilter filter{tile.m, static_cast<int>(std::min<std::int64_t>(k, p.ci_per_group())), 1};
  filter.stage_taps = static_cast<int>(std::clamp<std::int64_t>(k / filter.stage_channels, 1, p.taps()));
  const int copy_floats = along_n && vector_io && s.n % 4 == 0 ? 4 : 1;
  int pitch = tile.n;
  if (request.layouts.x == Layout::NHWC && filter.stage_channels % 4 == 0)
    pitch += filter.stage_channels % 8 == 0 ? 4 : 8;
  const bool checked = s.pad_top || s.pad_bottom || s.pad_left || s.pad_right ||
                       p.ci_per_group() % filter.stage_channels != 0 || p.taps() % filter.stage_taps != 0;
  const std::int64_t pixels = (along_n ? ceil_div(s.n, 4) * 4 : s.n) * p.ho() * p.wo();
  Launch launch{
      .sentence = "gathers tiles of im2col's matrix and multiplies them",
      .kernel = kernel(request, "im2col/implicit_gemm_cc.cu", "implicit_gemm_cc",
                       {{"tile_m", tile.m},
                        {"tile_n", tile.n},
                        {"thread_m", tile.thread_m},
                        {"thread_n", tile.thread_n},
                        {"stages", stages},
                        {"min_blocks", static_cast<int>(o.integer("blocks"))},
                        {"stage_channels", filter.stage_channels},
                        {"stage_taps", filter.stage_taps},
                        {"copy_floats", copy_floats},
                        {"pitch", pitch},
                        {"vector_io", vector_io},
                        {"index_precompute", o.is("index_precompute", "on")},
                        {"checked", checked},
                        {"zigzag", false}}),
      .grid = {ceil_div(pixels, tile.n) * filter.tiles(p)},
      .block = {tile.threads()},
      .shared_bytes = stages * 4 * (filter.stage_floats() + filter.stage_channels * filter.stage_taps * pitch) +
                      tile.n / copy_floats * kCellBytes,
      .arguments = {x(), buffer("filter"), bias(), y()},
  };
  Decisions d = decisions({request, {filter.launch(request), std::move(launch)}});
  Stage matrix = im2col_stage(p, request.dtype);
  matrix.stored = false;
  d.stages = {matrix, filter.stage(p)};
  d.executed_flops = p.flops();
  d.error_model = plain_sum_model(p, request.dtype);
  return d;
}

}  // namespace

const Algorithm& implicit_gemm_cc() {
  static const Algorithm row{
      .id = "implicit_gemm.cc",
      .family = "implicit_gemm",
      .unit = Unit::cc,
      .title = "Implicit GEMM on CUDA cores",
      .sentence = "Gathers tiles of im2col's matrix into shared memory and multiplies them in registers.",
      .source = "Chetlur et al. 2014, arXiv 1410.0759",
      .options = {{"tile", "", "", {}, "64x128/8x8", false, [](std::string_view) { return std::string(); }},
                  {"stages", "", "", {"1", "2", "3", "4"}, "3"},
                  {"channels", "", "", {}, "8", false, integer_between(1, 64)},
                  {"blocks", "", "", {}, "1", false, integer_between(1, 16)},
                  {"vector_io", "", "", {"on", "off"}, "on"},
                  {"index_precompute", "", "", {"on", "off"}, "on"},
                  sizes_option()},
      .rules = {f32_only(), int_offsets()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
