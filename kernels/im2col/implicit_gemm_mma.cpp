#include "kernels/im2col/implicit_gemm_mma.h"

#include <algorithm>

#include "algorithms/im2col/im2col.h"
#include "kernels/common/filter_rows.h"
#include "kernels/common/products.h"
#include "kernels/common/schedule.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/common/tile.h"

namespace convlens::gpu {

namespace {

// A block's tile of pixels × output channels; the formulas of implicit_gemm_mma.cu.
struct MmaTile {
  static constexpr int kPixels = 128, kSliceK = 32;
  int channels = 128, stages = 3;

  explicit MmaTile(const Request& request) {
    if (request.problem.co_per_group() <= 64) channels = 64;
    if (!request.options.is("slots", "auto")) stages = std::stoi(request.options["slots"]);
  }

  int threads() const { return 2 * channels; }
  // Slices of both operands, with 16 bytes between their rows; at the end the sums in FP32, 32 bytes between rows.
  std::int64_t shared_bytes() const {
    return std::max<std::int64_t>(stages * (kPixels + channels) * (kSliceK + 8) * 2, kPixels * (channels + 8) * 4);
  }
  std::int64_t across(const ConvProblem& p) const { return p.groups() * ceil_div(p.co_per_group(), channels); }
  std::int64_t tiles(const ConvProblem& p) const { return across(p) * ceil_div(p.n() * p.ho() * p.wo(), kPixels); }

  std::vector<Box> boxes(const ConvProblem& p, std::int64_t tile) const {
    const TileIndex at = tile_of_block(tile, static_cast<int>(across(p)), false);
    const std::int64_t of_group = ceil_div(p.co_per_group(), channels), within = at.column % of_group * channels;
    const std::int64_t first_o = at.column / of_group * p.co_per_group() + within;
    const std::int64_t count = std::min<std::int64_t>(channels, p.co_per_group() - within);
    const std::int64_t pixel = std::int64_t{at.row} * kPixels, left = p.n() * p.ho() * p.wo() - pixel;
    std::vector<Box> boxes;
    for (const Run& run : runs_of_range(pixel, std::min<std::int64_t>(kPixels, left), p.ho(), p.wo()))
      boxes.push_back({{run.image, first_o, run.row, run.column}, {1, count, 1, run.count, 1, 1}});
    return boxes;
  }
};

}  // namespace

Decisions implicit_gemm_by_mma(const Request& request) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const MmaTile tile(request);
  const FilterRows filter(request, p.ci_per_group());
  const bool pieces = is_on(request, "vector_io");
  Kernel product = kernel(request, "im2col/implicit_gemm_mma.cu", "implicit_gemm_mma",
                          {{"tile_m", MmaTile::kPixels},
                           {"tile_n", tile.channels},
                           {"tile_k", MmaTile::kSliceK},
                           {"stages", tile.stages},
                           {"filter_pitch", static_cast<int>(filter.pitch)},
                           {"padded", s.pad_top > 0 || s.pad_bottom > 0 || s.pad_left > 0 || s.pad_right > 0},
                           {"vector_gather", pieces && request.layouts.x == Layout::NHWC && p.ci_per_group() % 8 == 0},
                           {"vector_io", pieces && p.co_per_group() % 8 == 0}});
  product.architectures = {.why = "instructions=mma: mma.sync and cp.async"};
  Program program{request, {}};
  if (filter.packed) program.steps.push_back(filter.launch(request));
  program.steps.push_back(Launch{
      .sentence = "gathers slices of im2col's matrix in shared memory and multiplies them",
      .kernel = std::move(product),
      .grid = {tile.tiles(p)},
      .block = {tile.threads()},
      .shared_bytes = tile.shared_bytes(),
      .arguments = {filter.packed ? buffer("filter") : w(), x(), bias(), y()},
      .tiles = [tile, p](const Dim3& block) { return tile.boxes(p, block.x); },
  });
  Decisions d = implicit_gemm_decisions(std::move(program), filter, request);
  d.notes = {"tile: " + std::to_string(MmaTile::kPixels) + " pixels × " + std::to_string(tile.channels) +
             " output channels, " + std::to_string(tile.stages) + " slices of " + std::to_string(MmaTile::kSliceK) +
             " values of k"};
  return d;
}

}  // namespace convlens::gpu
