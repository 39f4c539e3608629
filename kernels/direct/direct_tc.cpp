// direct.tc: direct convolution on Hopper's tensor cores, or on those of any GPU since sm_80.
#include <algorithm>

#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/filter_rows.h"
#include "kernels/common/hopper.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/common/tile.h"
#include "kernels/direct/direct.h"
#include "kernels/direct/direct_tiling.h"

namespace convlens::gpu {

namespace {

Argument patches(const Request& request, const DirectTiling& tiling) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const std::int64_t pixel = p.ci() * size_of(request.dtype), apart = tiling.whole_windows ? 1 : s.stride_h;
  return x().as({.dtype = request.dtype,
                 .extents = {p.ci(), s.wi, s.hi, p.n()},
                 .strides = {pixel, s.wi * pixel, s.hi * s.wi * pixel},
                 .steps = {1, 1, static_cast<int>(apart), 1},
                 .box = {kRowElements, static_cast<int>(tiling.patch_columns),
                         static_cast<int>((tiling.patch_rows - 1) * apart + 1), static_cast<int>(tiling.images)}});
}

Kernel product(const Request& request, const DirectTiling& tiling, const FilterRows& filter) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const bool pieces = is_on(request, "vector_io");
  const auto constant = [](const char* name, std::int64_t value) { return Constant(name, static_cast<int>(value)); };
  std::vector<Constant> constants{
      constant("tile_n", tiling.tile_n),
      constant("few_channels", tiling.by_elements ? p.ci_per_group() : 1),
      constant("tile_images", tiling.images),
      constant("tile_rows", tiling.rows),
      constant("tile_columns", tiling.columns),
      constant("taps_down", s.hf),
      constant("taps_across", s.wf),
      constant("stride_down", s.stride_h),
      constant("stride_across", s.stride_w),
      constant("dilation_down", s.dilation_h),
      constant("dilation_across", s.dilation_w),
      {"by_elements", tiling.by_elements},
      {"single_group", p.groups() == 1},
      {"whole_windows", tiling.whole_windows},
      {"vector_fetch", pieces && request.layouts.x == Layout::NHWC && p.ci_per_group() % 8 == 0},
      {"vector_io", pieces && p.co_per_group() % 8 == 0}};
  if (tiling.by_mma) {
    constants.insert(constants.end(), {constant("tile_m", kMmaPixels), constant("tile_k", kRowElements),
                                       constant("stages", tiling.filter_slots), constant("filter_pitch", filter.pitch),
                                       constant("filter_channels", filter.channels)});
    Kernel made = kernel(request, "direct/direct_mma.cu", "direct_mma", std::move(constants));
    made.architectures = {.why = "instructions=mma: mma.sync and cp.async"};
    return made;
  }
  constants.insert(constants.end(), {constant("m_tiles", tiling.m_tiles),
                                     constant("patch_slots", tiling.patch_slots),
                                     constant("filter_slots", tiling.filter_slots),
                                     constant("fetching_threads", tiling.fetching_threads()),
                                     {"by_tma", tiling.by_tma},
                                     {"jitter", is_on(request, "jitter")}});
  Kernel made = kernel(request, "direct/direct_tc.cu", "direct_tc", std::move(constants));
  made.architectures = kHopper;
  made.architectures.why = "wgmma; instructions=mma needs sm_80";
  return made;
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const DirectTiling tiling = choose_direct_tiling(request).value();
  const FilterRows filter(request, tiling.by_elements ? p.ci_per_group() : ceil_div(p.ci_per_group(), 8) * 8);
  const std::int64_t tiles = tiling.tiles(p);
  const std::int64_t grid = tiling.by_mma ? tiles : std::min<std::int64_t>(tiles, kHopperMultiprocessors);
  const auto by_copy_engine = [&](int rows) {
    return tiling.by_elements ? filter.whole(request, rows) : filter.by_taps(request, rows);
  };
  Program program{request, {}};
  if (filter.packed) program.steps.push_back(filter.launch(request));
  program.steps.push_back(Launch{
      .sentence = "stages the patch under each tile once and multiplies it tap by tap",
      .kernel = product(request, tiling, filter),
      .grid = {grid},
      .block = {tiling.by_mma ? 2 * tiling.tile_n : kMultiplyingThreads + tiling.fetching_threads()},
      .shared_bytes = tiling.shared_bytes(p),
      .arguments = {!tiling.by_mma  ? by_copy_engine(tiling.tile_n)
                    : filter.packed ? buffer("filter")
                                    : w(),
                    tiling.by_tma ? patches(request, tiling) : x(), bias(), y()},
      .tiles =
          [tiling, p, grid, tiles](const Dim3& block) {
            std::vector<Box> all;
            for (std::int64_t tile = block.x; tile < tiles; tile += grid) all.push_back(tiling.box(p, tile));
            return all;
          },
  });
  Decisions d = decisions(std::move(program));
  d.stages = {input_stage(p, request.dtype)};
  if (filter.packed) d.stages.push_back(filter.stage(request));
  d.executed_flops = p.flops();
  d.error_model = tensor_core_sum_model(p, request.dtype);
  d.notes = {"tile: " + std::to_string(tiling.images) + " images × " + std::to_string(tiling.rows) + " rows × " +
                 std::to_string(tiling.columns) + " columns × " + std::to_string(tiling.tile_n) + " output channels",
             "patch: " + std::to_string(tiling.patch_bytes) + " bytes, of " +
                 (tiling.whole_windows ? "whole windows" : "one filter row at a time") + ", fetched by " +
                 (tiling.by_tma ? "the copy engine (TMA)" : "threads")};
  return d;
}

Rule tma_if_asked_for() {
  return {"fetch = tma: NHWC, C_i a multiple of 8", [](const Request& request) -> std::optional<Refusal> {
            if (!request.options.is("fetch", "tma")) return std::nullopt;
            const std::string why = request.options.is("instructions", "mma")
                                        ? "fetch: tma, must be auto or threads with instructions=mma"
                                        : why_no_patches_by_tma(request);
            if (why.empty()) return std::nullopt;
            Request nearest = request;
            nearest.options.set("fetch", "auto");
            return Refusal{why, nearest};
          }};
}

Rule patch_fits() {
  return {"a tap's patch in 227 KiB of shared memory, or 99 with mma",
          [](const Request& request) -> std::optional<Refusal> {
            if (choose_direct_tiling(request)) return std::nullopt;
            Request nearest = request;
            for (const char* option : {"fetch", "windows", "tile_pixels", "patch_slots", "filter_slots"})
              nearest.options.set(option, "auto");
            const ConvProblem& p = request.problem;
            const std::int64_t most =
                request.options.is("instructions", "mma") ? kLeastSharedBytes : kHopperSharedBytes;
            return Refusal{"window: " + std::to_string(p.extent_h()) + "x" + std::to_string(p.extent_w()) +
                               ", the patch of one pixel must be ≤ " + std::to_string(most) +
                               " bytes with its rings, and a box of TMA ≤ " + std::to_string(kMostBox),
                           choose_direct_tiling(nearest) ? std::optional(nearest) : std::nullopt};
          }};
}

}  // namespace

const Algorithm& direct_tc() {
  static const Algorithm row{
      .id = "direct.tc",
      .family = "direct",
      .unit = Unit::tc,
      .title = "Direct on tensor cores",
      .sentence = "Stages the patch of x under a tile of y once, and multiplies it on tensor cores, tap by tap.",
      .source = "the definition",
      .options =
          {{"instructions",
            "Instructions",
            "Hopper's own (wgmma), or mma.sync of every GPU since sm_80; then threads fetch one patch under 128 pixels "
            "at "
            "a time, and tile_pixels, patch_slots and jitter mean nothing.",
            {"wgmma", "mma"},
            "wgmma"},
           {"fetch",
            "Fetch",
            "Let the copy engine (TMA) fetch patches, or threads; auto: TMA where it can.",
            {"auto", "tma", "threads"},
            "auto",
            true},
           {"windows",
            "Windows",
            "Stage the rows of whole windows, or those of one filter row at a time, in smaller patches.",
            {"auto", "whole", "rows"},
            "auto",
            true},
           {"tile_pixels",
            "Pixels of a tile",
            "At most; each filter that comes to shared memory is used so often.",
            {"auto", "128", "256"},
            "auto",
            true},
           {"patch_slots", "Patches", "How many are in shared memory at once.", {"auto", "1", "2"}, "auto", true},
           {"filter_slots",
            "Slots of the filter",
            "How many blocks of 64 values of k are in shared memory at once.",
            {"auto", "2", "4"},
            "auto",
            true},
           vector_io_option(),
           jitter_option(),
           sizes_option()},
      .rules = {f16_or_bf16(), int_offsets(), int_indices(), tma_if_asked_for(), patch_fits()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
