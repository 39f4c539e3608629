// implicit_gemm.tc: im2col's product on Hopper's tensor cores, its matrix made tile by tile by the copy engine; or on
// those of any GPU since sm_80 (implicit_gemm_mma.h).
#include <algorithm>
#include <limits>

#include "algorithms/im2col/im2col.h"
#include "kernels/common/filter_rows.h"
#include "kernels/common/hopper.h"
#include "kernels/common/schedule.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/common/tile.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2col/implicit_gemm_mma.h"

namespace convlens::gpu {

Decisions implicit_gemm_decisions(Program program, const FilterRows& filter, const Request& request) {
  const ConvProblem& p = request.problem;
  Decisions d = decisions(std::move(program));
  Stage matrix = im2col_stage(p, request.dtype);
  matrix.stored = false;
  d.stages = {matrix};
  if (filter.packed) d.stages.push_back(filter.stage(request));
  d.executed_flops = p.flops();
  d.error_model = tensor_core_sum_model(p, request.dtype);
  return d;
}

namespace {

constexpr int kGatheringThreads = 256, kLeastSlots = 3, kMostSlots = 6;
constexpr std::int64_t kBarrierBytes = 16;      // of a slot
constexpr std::int64_t kLeastTmaChannels = 32;  // below, threads waste less: they fetch whole rows of k

// A block's tile of output channels × pixels, and the ring that feeds it; the formulas of implicit_gemm_tc.cu.
struct Tiling {
  bool by_tma = true, split_pixels = false;
  int tile_n = 128, slots = 0;

  int channels() const { return split_pixels ? 64 : 128; }
  int pixels() const { return split_pixels ? 2 * tile_n : tile_n; }
  std::int64_t slot_bytes() const { return (channels() + pixels()) * kRowBytes; }
  std::int64_t bytes(int count) const {
    return kTileAlignment + count * (slot_bytes() + kBarrierBytes) + 2 * tile_n * kRowBytes;
  }
  std::int64_t across(const ConvProblem& p) const { return p.groups() * ceil_div(p.co_per_group(), channels()); }
  std::int64_t tiles(const ConvProblem& p) const { return across(p) * ceil_div(p.n() * p.ho() * p.wo(), pixels()); }

  // Cycles, up to a factor: tiles are dealt out in rounds; a block of k takes as long as its products or
  // its bytes from the L2 cache, whichever is more.
  double cost(const ConvProblem& p) const {
    constexpr double kBegin = 600;
    const double blocks = by_tma ? static_cast<double>(p.taps()) * static_cast<double>(p.ci_per_group()) / kRowElements
                                 : static_cast<double>(ceil_div(p.reduction(), kRowElements));
    const double products = channels() * pixels() * static_cast<double>(kRowElements) / kProductsACycle;
    const double copies = static_cast<double>(slot_bytes()) / kBytesACycle;
    const double stored = 2.0 * channels() * pixels() / kStoredBytesACycle;
    return static_cast<double>(ceil_div(tiles(p), kHopperMultiprocessors)) *
           (blocks * std::max(products, copies) + stored + kBegin);
  }

  std::vector<Box> boxes(const ConvProblem& p, std::int64_t tile) const {
    const TileIndex at = tile_of_block(tile, static_cast<int>(across(p)), false);
    const std::int64_t of_group = ceil_div(p.co_per_group(), channels()), within = at.column % of_group * channels();
    const std::int64_t first_o = at.column / of_group * p.co_per_group() + within;
    const std::int64_t count = std::min<std::int64_t>(channels(), p.co_per_group() - within);
    std::vector<Box> boxes;
    std::int64_t first = std::int64_t{at.row} * pixels();
    for (const std::int64_t end = std::min(first + pixels(), p.n() * p.ho() * p.wo()); first < end;) {
      const std::int64_t line = first / p.wo(), next = std::min(end, (line + 1) * p.wo());
      boxes.push_back({{line / p.ho(), first_o, line % p.ho(), first % p.wo()}, {1, count, 1, next - first, 1, 1}});
      first = next;
    }
    return boxes;
  }
};

// Why the copy engine cannot walk x's windows, or "". Limits: CUDA driver API, cuTensorMapEncodeIm2col.
std::string why_no_tma(const Request& request) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const auto must = [](const std::string& name, std::int64_t value, const std::string& rule) {
    return name + ": " + std::to_string(value) + ", must be " + rule + " for TMA";
  };
  if (request.layouts.x != Layout::NHWC)
    return "layout of x: " + std::string(name(request.layouts.x)) + ", must be NHWC for TMA";
  if (p.ci() % 8 != 0) return must("ci", p.ci(), "a multiple of 8");
  if (p.groups() > 1 && p.ci_per_group() % 16 != 0) return must("ci/groups", p.ci_per_group(), "a multiple of 16");
  for (const auto& [name, value] : {std::pair{"stride_h", s.stride_h}, {"stride_w", s.stride_w}})
    if (value > 8) return must(name, value, "≤ 8");
  for (const auto& [name, value] : {std::pair{"pad_top", s.pad_top}, {"pad_left", s.pad_left}})
    if (value > 128) return must(name, value, "≤ 128");
  for (const auto& [name, value] : {std::pair{"pad_bottom", s.pad_bottom}, {"pad_right", s.pad_right}})
    if (value > 127) return must(name, value, "≤ 127");
  for (const auto& [name, value] : {std::pair{"hf", p.extent_h()}, {"wf", p.extent_w()}})
    if (value > 129) return must(std::string(name) + ", dilated", value, "≤ 129");
  return "";
}

bool by_tma(const Request& request) {
  if (!request.options.is("fetch", "auto")) return request.options.is("fetch", "tma");
  return why_no_tma(request).empty() && request.problem.ci_per_group() >= kLeastTmaChannels;
}

// Of all tilings that the options allow and that fit, what costs least; or why there is none.
std::optional<Tiling> choose_tiling(const Request& request, std::string& why_none) {
  const OptionSet& options = request.options;
  std::optional<Tiling> best;
  double least = std::numeric_limits<double>::infinity();
  for (const bool split_pixels : {false, true})
    for (int tile_n = 64; tile_n <= 256; tile_n += 16) {
      if (!options.is("split", "auto") && options.is("split", "pixels") != split_pixels) continue;
      if (!options.is("tile_n", "auto") && options["tile_n"] != std::to_string(tile_n)) continue;
      Tiling tiling{by_tma(request), split_pixels, tile_n};
      if (!tiling.by_tma && tile_n != 64 && tile_n != 128) {
        why_none = "tile_n: " + std::to_string(tile_n) + ", must be 64 or 128 where threads fetch";
        continue;
      }
      tiling.slots = options.is("slots", "auto") ? kLeastSlots : std::stoi(options["slots"]);
      if (tiling.bytes(tiling.slots) > kHopperSharedBytes) {
        why_none = "slots: " + std::to_string(tiling.slots) + " with tile_n " + std::to_string(tile_n) + " take " +
                   std::to_string(tiling.bytes(tiling.slots)) + " bytes of shared memory, must be ≤ " +
                   std::to_string(kHopperSharedBytes);
        continue;
      }
      if (options.is("slots", "auto"))
        while (tiling.slots < kMostSlots && tiling.bytes(tiling.slots + 1) <= kHopperSharedBytes) ++tiling.slots;
      if (const double needed = tiling.cost(request.problem); !best || needed < least) least = needed, best = tiling;
    }
  return best;
}

Argument windows(const Request& request, const Tiling& tiling) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const std::int64_t pixel = p.ci() * size_of(request.dtype);
  return x().as({.dtype = request.dtype,
                 .extents = {p.ci(), s.wi, s.hi, p.n()},
                 .strides = {pixel, s.wi * pixel, s.hi * s.wi * pixel},
                 .steps = {1, static_cast<int>(s.stride_w), static_cast<int>(s.stride_h), 1},
                 .im2col = TensorMap::Im2col{.lower = {static_cast<int>(-s.pad_left), static_cast<int>(-s.pad_top)},
                                             .upper = {static_cast<int>(s.pad_right - p.extent_w() + 1),
                                                       static_cast<int>(s.pad_bottom - p.extent_h() + 1)},
                                             .channels = kRowElements,
                                             .pixels = tiling.pixels()}});
}

// With the layer's sizes compiled in, a short loop over k is unrolled, and no index is left to compute.
int unrolled_blocks(const Request& request, const Tiling& tiling) {
  constexpr std::int64_t kMost = 8;
  const std::int64_t blocks = ceil_div(request.problem.reduction(), kRowElements);
  return tiling.by_tma || sizes_at_run_time(request) || blocks > kMost ? 1 : static_cast<int>(blocks);
}

bool by_mma(const Request& request) { return request.options.is("instructions", "mma"); }

Decisions decide(const Request& request) {
  if (by_mma(request)) return implicit_gemm_by_mma(request);
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  std::string why_none;
  const Tiling tiling = choose_tiling(request, why_none).value();
  const FilterRows filter(request, p.ci_per_group());
  const bool pieces = is_on(request, "vector_io");
  const int fetching_threads = tiling.by_tma ? kWarpgroup : kGatheringThreads;
  Kernel product = kernel(request, "im2col/implicit_gemm_tc.cu", "implicit_gemm_tc",
                          {{"tile_n", tiling.tile_n},
                           {"slots", tiling.slots},
                           {"fetching_threads", fetching_threads},
                           {"unrolled_blocks", unrolled_blocks(request, tiling)},
                           {"split_pixels", tiling.split_pixels},
                           {"by_tma", tiling.by_tma},
                           {"padded", s.pad_top > 0 || s.pad_bottom > 0 || s.pad_left > 0 || s.pad_right > 0},
                           {"vector_gather", pieces && request.layouts.x == Layout::NHWC && p.ci_per_group() % 8 == 0},
                           {"vector_io", pieces && p.co_per_group() % 8 == 0},
                           {"jitter", is_on(request, "jitter")}});
  product.architectures = kHopper;
  product.architectures.why = "wgmma; instructions=mma needs sm_80";
  const std::int64_t tiles = tiling.tiles(p), grid = std::min<std::int64_t>(tiles, kHopperMultiprocessors);
  Program program{request, {}};
  if (filter.packed) program.steps.push_back(filter.launch(request));
  program.steps.push_back(Launch{
      .sentence = "makes tiles of im2col's matrix in shared memory and multiplies them",
      .kernel = std::move(product),
      .grid = {grid},
      .block = {kMultiplyingThreads + fetching_threads},
      .shared_bytes = tiling.bytes(tiling.slots),
      .arguments = {tiling.by_tma ? filter.by_taps(request, tiling.channels())
                                  : filter.whole(request, tiling.channels()),
                    tiling.by_tma ? windows(request, tiling) : x(), bias(), y()},
      .tiles =
          [tiling, p, grid, tiles](const Dim3& block) {
            std::vector<Box> all;
            for (std::int64_t tile = block.x; tile < tiles; tile += grid)
              for (const Box& box : tiling.boxes(p, tile)) all.push_back(box);
            return all;
          },
  });
  Decisions d = implicit_gemm_decisions(std::move(program), filter, request);
  d.notes = {"tile: " + std::to_string(tiling.channels()) + " output channels × " + std::to_string(tiling.pixels()) +
                 " pixels, " + std::to_string(tiling.slots) + " slots of 64 values of k",
             tiling.by_tma
                 ? "fetched by the copy engine (TMA, im2col mode)"
                 : "gathered by threads" + (request.options.is("fetch", "auto") && !why_no_tma(request).empty()
                                                ? ": " + why_no_tma(request)
                                                : "")};
  return d;
}

Rule tma_if_asked_for() {
  return {"fetch = tma: NHWC, C_i a multiple of 8", [](const Request& request) -> std::optional<Refusal> {
            if (!request.options.is("fetch", "tma")) return std::nullopt;
            const std::string why =
                by_mma(request) ? "fetch: tma, must be auto or threads with instructions=mma" : why_no_tma(request);
            if (why.empty()) return std::nullopt;
            Request nearest = request;
            nearest.options.set("fetch", "auto");
            return Refusal{why, nearest};
          }};
}

Rule tile_fits() {
  return {"a block's ring in 227 KiB of shared memory", [](const Request& request) -> std::optional<Refusal> {
            std::string why;
            if (by_mma(request) || choose_tiling(request, why)) return std::nullopt;
            Request nearest = request;
            for (const char* option : {"tile_n", "slots"}) nearest.options.set(option, "auto");
            return Refusal{why, nearest};
          }};
}

}  // namespace

const Algorithm& implicit_gemm_tc() {
  static const Algorithm row{
      .id = "implicit_gemm.tc",
      .family = "implicit_gemm",
      .unit = Unit::tc,
      .title = "Implicit GEMM on tensor cores",
      .sentence = "Hopper's copy engine walks the windows and makes tiles of im2col's matrix for its tensor cores.",
      .source = "Chetlur et al. 2014, arXiv 1410.0759",
      .options =
          {{"instructions",
            "Instructions",
            "Hopper's own (wgmma), or mma.sync of every GPU since sm_80, on 128 pixels × 64 or 128 channels a block; "
            "then "
            "threads fetch, slots hold 32 values of k, and split, tile_n and jitter mean nothing.",
            {"wgmma", "mma"},
            "wgmma"},
           {"fetch",
            "Fetch",
            "Let the copy engine (TMA) make the tiles of im2col's matrix, or 256 threads; auto: TMA where it can.",
            {"auto", "tma", "threads"},
            "auto",
            true},
           {"split",
            "Split",
            "What the two multiplying warpgroups share out: a tile's output channels, 64 each, or its pixels.",
            {"auto", "channels", "pixels"},
            "auto",
            true},
           {"tile_n",
            "Columns",
            "Pixels that a warpgroup multiplies; auto: a multiple of 16 that leaves few multiprocessors idle at the "
            "end.",
            {"auto", "64", "128", "192", "256"},
            "auto",
            true},
           {"slots",
            "Slots",
            "How many blocks of k are in shared memory at once.",
            {"auto", "2", "3", "4"},
            "auto",
            true},
           vector_io_option(),
           jitter_option(),
           sizes_option()},
      .rules = {f16_or_bf16(), int_offsets(), int_indices(), tma_if_asked_for(), tile_fits()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
