// implicit_gemm.cc: im2col's product on CUDA cores, its matrix gathered tile by tile.
#include <algorithm>
#include <limits>

#include "algorithms/im2col/im2col.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/schedule.h"
#include "kernels/common/tile.h"
#include "kernels/im2col/im2col.h"

namespace convlens::gpu {

namespace {

constexpr int kCellBytes = 12;    // of implicit_gemm_cc.cu
constexpr int kStageValues = 16;  // of k, about

// About `wanted` taps a stage; a few more or less where then no stage has idle taps.
int stage_taps(std::int64_t taps, int wanted) {
  int best = 1;
  for (int count = 2; count <= std::min<std::int64_t>(2 * wanted, taps); ++count)
    if (ceil_div(taps, count) * count <= ceil_div(taps, best) * best && (count < taps || taps <= wanted)) best = count;
  return best;
}

struct Gather {
  TileShape tile;
  PackedFilter filter;
  int copy_floats = 1;
  std::int64_t pitch = 0;
  std::int64_t images = 1, pixels = 1;  // that tiles count: in CHWN a row of images is rounded up to whole units

  Gather(const Request& request, const TileShape& tile) : tile(tile) {
    const ConvProblem& p = request.problem;
    const bool along_n = request.layouts.x == Layout::CHWN;
    const int channels = static_cast<int>(std::min<std::int64_t>(kStageValues, p.ci_per_group()));
    filter = {tile.m, channels, stage_taps(p.taps(), kStageValues / channels)};
    copy_floats = along_n && is_on(request, "vector_io") && p.n() % 4 == 0 ? 4 : 1;
    pitch = channel_pitch(request, channels, tile.n);
    images = along_n ? ceil_div(p.n(), 4) * 4 : p.n();
    pixels = images * p.ho() * p.wo();
  }
  std::int64_t tiles() const { return ceil_div(pixels, tile.n); }
  std::int64_t bytes(const Request& request) const {  // of shared memory
    return std::max<std::int64_t>(
        tile.staged_bytes(),
        slot_count(request) * 4 * (filter.stage_floats() + values() * pitch) + tile.n / copy_floats * kCellBytes);
  }
  int values() const { return filter.stage_channels * filter.stage_taps; }

  // The pieces of rows of pixels, or of images of a pixel, that the tile of `block` covers.
  std::vector<Box> boxes(const Request& request, const Dim3& block) const {
    const ConvProblem& p = request.problem;
    const bool along_n = request.layouts.x == Layout::CHWN;
    const auto [first_o, channels, row] = filter.tile_of(p, block);
    std::vector<Box> boxes;
    std::int64_t first = row * tile.n;
    const std::int64_t end = std::min(first + tile.n, pixels), run = along_n ? images : p.wo();
    while (first < end) {
      const std::int64_t line = first / run, at = first % run, next = std::min(end, (line + 1) * run);
      if (along_n && at < p.n())
        boxes.push_back(
            {{at, first_o, line / p.wo(), line % p.wo()}, {std::min(next - first, p.n() - at), channels, 1, 1, 1, 1}});
      if (!along_n)
        boxes.push_back({{line / p.ho(), first_o, line % p.ho(), at}, {1, channels, 1, next - first, 1, 1}});
      first = next;
    }
    return boxes;
  }
};

Gather choose_gather(const Request& request) {
  std::optional<Gather> best;
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : candidate_tiles(request)) {
    const Gather gather(request, tile);
    const double needed =
        cost(request, tile, gather.tiles() * gather.filter.tiles(request.problem), gather.bytes(request),
             request.problem.reduction(),
             {.copies = static_cast<double>(tile.n) / gather.copy_floats, .floats = static_cast<double>(tile.n)}, false,
             std::min<std::int64_t>(request.problem.ho() * request.problem.wo(), tile.n));
    if (!best || needed < least) least = needed, best = gather;
  }
  return *best;
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const Gather gather = choose_gather(request);
  check_counted("y, in whole tiles", gather.tiles() * gather.tile.n, "pixels");
  const PackedFilter& filter = gather.filter;
  std::vector<Constant> constants =
      tile_constants(request, gather.tile, filter.stage_channels, gather.pitch, gather.copy_floats);
  constants.insert(constants.end(),
                   {{"stage_taps", filter.stage_taps},
                    {"checked", needs_checks(p, filter.stage_channels) || p.taps() % filter.stage_taps != 0}});
  Launch launch{
      .sentence = "gathers tiles of im2col's matrix and multiplies them",
      .kernel = kernel(request, "im2col/implicit_gemm_cc.cu", "implicit_gemm_cc", std::move(constants)),
      .grid = {gather.tiles() * filter.tiles(p)},
      .block = {gather.tile.threads()},
      .shared_bytes = gather.bytes(request),
      .arguments = {x(), PackedFilter::argument(request), bias(), y()},
      .tiles = [gather, request](const Dim3& block) { return gather.boxes(request, block); },
  };
  check_shared_memory(launch);
  std::vector<Step> steps = filter.steps(request);
  steps.emplace_back(std::move(launch));
  Decisions d = decisions({request, std::move(steps)});
  Stage matrix = im2col_stage(p, request.dtype);
  matrix.stored = false;
  d.stages = {matrix, filter.stage(request)};
  d.executed_flops = p.flops();
  d.error_model = plain_sum_model(p, request.dtype);
  d.notes = {"tile: " + gather.tile.text()};
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
      .options = tile_options(),
      .rules = {f32_only(), int_offsets(), int_indices()},
      .decide = decide,
      .named_options = ladder(/*has_naive=*/false),
  };
  return row;
}

}  // namespace convlens::gpu
