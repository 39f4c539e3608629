#include "algorithms/simd/block_loop.h"

#include <utility>

#include "algorithms/problem/checked.h"
#include "algorithms/simd/tile_blocks.h"

namespace convlens::simd {

namespace {
constexpr std::int64_t kHalfL2 = 512 * 1024;  // bytes; an L2 of 1 MiB is what servers and laptops have at least
constexpr std::int64_t kBlocksPerThread = 8;  // so that threads finish together
constexpr std::int64_t kTiles = 4;            // of pixels that a panel read from L2 serves at least
constexpr std::int64_t kTilesToPackFor = 32;  // and a panel that is packed for them
}  // namespace

Blocking choose_blocking(const Request& request, const Panels& panels, std::int64_t row_bytes, bool packs) {
  const ConvProblem& p = request.problem;
  if (request.options.is("cache_block", "off")) return {1, p.ho()};
  const std::int64_t threads = used_threads(request), all = p.n() * p.ho();
  const std::int64_t fits = std::max<std::int64_t>(1, kHalfL2 / std::max<std::int64_t>(1, row_bytes));
  const std::int64_t tiles = parts((packs ? kTilesToPackFor : kTiles) * tile_pixels(), p.wo());  // in rows
  const std::int64_t rows =
      std::max<std::int64_t>(1, std::min(fits, std::max(tiles, all / (threads * kBlocksPerThread))));
  Blocking blocking{1, share(p.ho(), rows)};
  if (rows >= p.ho()) blocking = {share(std::max<std::int64_t>(1, p.n()), rows / p.ho()), p.ho()};
  const std::int64_t most = packs && panels.at_a_time() == 1 ? panels.per_group() : 1;
  while (blocking.shares < most && blocking.count(p) < kBlocksPerThread * threads && blocking.count(p) % threads != 0)
    ++blocking.shares;
  return blocking;
}

std::int64_t channel_pieces(const Request& request) {
  constexpr std::int64_t kMostReduction = 800, kLeastChannels = 16;
  const ConvProblem& p = request.problem;
  if (choose_pack(request) != Pack::block || request.options.is("cache_block", "off") || p.groups() > 1) return 1;
  std::int64_t best = 1;
  for (std::int64_t pieces = 1; p.ci() / pieces >= kLeastChannels && p.reduction() / best > kMostReduction; ++pieces)
    if (p.ci() % pieces == 0) best = pieces;
  return best;
}

int used_threads(const Request& request) {
  return request.options.is("threads", "one") ? 1 : request.resolved_threads();
}

Pack choose_pack(const Request& request) {
  constexpr std::int64_t kL2 = 1 << 20;
  const OptionSet& options = request.options;
  if (options.is("pack", "auto")) return request.w_bytes() > kL2 ? Pack::block : Pack::on;
  return options.is("pack", "on") ? Pack::on : options.is("pack", "block") ? Pack::block : Pack::off;
}

Switches switches(const Request& request) {
  constexpr std::int64_t kLastLevelCache = 16 << 20;
  const OptionSet& options = request.options;
  const bool large = options.is("nontemporal", "auto") && request.y_bytes() > kLastLevelCache;
  return {options.is("simd", "on"), options.is("register_tile", "on"), options.is("prefetch", "on"),
          options.is("nontemporal", "on") || large, choose_pack(request)};
}

std::vector<Option> block_options() {
  return {
      {"simd", "Vector instructions", "Multiply with vectors, or one number at a time.", {"on", "off"}, "on", true},
      {"threads", "Threads", "Share the blocks out between all threads, or use one.", {"all", "one"}, "all", true},
      {"register_tile",
       "Register tile",
       "Keep a tile of pixels in registers, or one pixel.",
       {"on", "off"},
       "on",
       true},
      {"cache_block",
       "Cache blocking",
       "Work on a few output rows at a time, so that their windows stay in the "
       "L2 cache, or on whole images.",
       {"on", "off"},
       "on",
       true},
  };
}

std::vector<Option> loop_options() {
  std::vector<Option> all = block_options();
  all.push_back(
      {"pack",
       "Packed filter",
       "Pack the filter into panels before the loops (on), or each panel for a large block of pixels by the "
       "thread that is about to use it (block, or on where that takes less memory), or read w where it lies (off); "
       "auto packs by block what outgrows an L2 cache.",
       {"auto", "on", "block", "off"},
       "auto",
       true});
  all.push_back({"prefetch",
                 "Prefetch",
                 "Ask for the output's cache lines before the tile is computed.",
                 {"on", "off"},
                 "on",
                 true});
  all.push_back({"nontemporal",
                 "Non-temporal stores",
                 "Write y past the caches: auto does so where y is larger than they are.",
                 {"auto", "on", "off"},
                 "auto",
                 true});
  return all;
}

Rule f32_only() {
  return {"f32", [](const Request& request) -> std::optional<Refusal> {
            if (request.dtype == DType::f32) return std::nullopt;
            Request nearest = request;
            nearest.dtype = DType::f32;
            return Refusal{"dtype: " + std::string(name(request.dtype)) + ", the fast CPU rows compute f32", nearest};
          }};
}

LoopPlan::LoopPlan(const Request& request, const Panels& filter_panels, std::int64_t row_bytes, std::int64_t held_bytes)
    : problem(request.problem),
      panels(filter_panels),
      blocking(choose_blocking(request, filter_panels, row_bytes * filter_panels.pieces(), false)),
      switches(simd::switches(request)),
      threads(used_threads(request)) {
  if (switches.pack != Pack::block) return;
  const auto held = [&](const Blocking& b, std::int64_t row) {
    return checked::product("bytes of the threads' blocks", {threads, b.images, b.rows, row});
  };
  const Blocking large = choose_blocking(request, panels, row_bytes, true);
  bounded = panels.stage_in_pieces(problem, threads).bytes() + held(large, held_bytes) >
            panels.stage(problem).bytes() + held(blocking, held_bytes * panels.pieces());
  if (bounded)
    switches.pack = Pack::on;
  else
    blocking = large;
}

Decisions LoopPlan::decisions(std::vector<Stage> stages, std::vector<Buffer> scratch) const {
  Decisions d;
  d.stages = std::move(stages);
  if (switches.pack == Pack::on) d.stages.push_back(panels.stage(problem));
  if (switches.pack == Pack::block) d.stages.push_back(panels.stage_in_pieces(problem, threads));
  d.scratch = std::move(scratch);
  d.scratch.insert(d.scratch.begin(), panels.bias_buffer());
  d.executed_flops = panels.executed_flops(problem);
  d.error_model = plain_sum_model(problem, DType::f32);
  d.notes = {"instructions: " + instruction_set()};
  if (bounded) d.notes.push_back("packed before the loops: by block takes more memory");
  return d;
}

std::int64_t picture_row_bytes(const Request& request) {
  const ConvProblem& p = request.problem;
  return p.spec().stride_h * p.wi() * p.ci() * size_of(request.dtype);
}

}  // namespace convlens::simd
