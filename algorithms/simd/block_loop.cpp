#include "algorithms/simd/block_loop.h"

#include <utility>

namespace convlens::simd {

namespace {
constexpr std::int64_t kHalfL2 = 512 * 1024;  // bytes; an L2 of 1 MiB is what servers and laptops have at least
constexpr std::int64_t kBlocksPerThread = 8;  // so that threads finish together
}  // namespace

Blocking choose_blocking(const Request& request, std::int64_t row_bytes) {
  const ConvProblem& p = request.problem;
  if (request.options.is("cache_block", "off")) return {1, p.ho()};
  const std::int64_t fits = std::max<std::int64_t>(1, kHalfL2 / std::max<std::int64_t>(1, row_bytes));
  const std::int64_t full_tiles = (4 * tile_pixels() + p.wo() - 1) / p.wo();  // rows that fill four tiles
  const std::int64_t shared = std::max(full_tiles, p.n() * p.ho() / (used_threads(request) * kBlocksPerThread));
  const std::int64_t rows = std::max<std::int64_t>(1, std::min(fits, shared));
  if (rows >= p.ho()) return {std::clamp<std::int64_t>(rows / p.ho(), 1, std::max<std::int64_t>(1, p.n())), p.ho()};
  return {1, rows};
}

int used_threads(const Request& request) {
  return request.options.is("threads", "one") ? 1 : request.resolved_threads();
}

Switches switches(const Request& request) {
  constexpr std::int64_t kLastLevelCache = 16 << 20;
  const OptionSet& options = request.options;
  const bool large = options.is("nontemporal", "auto") && request.y_bytes() > kLastLevelCache;
  return {options.is("simd", "on"), options.is("register_tile", "on"), options.is("prefetch", "on"),
          options.is("nontemporal", "on") || large};
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
       "Work on a few output rows at a time, so that their windows stay in the L2 cache, or on whole images.",
       {"on", "off"},
       "on",
       true},
  };
}

std::vector<Option> loop_options() {
  std::vector<Option> all = block_options();
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

LoopPlan::LoopPlan(const Request& request, const ReductionOrder& window_order, std::int64_t row_bytes, bool depthwise)
    : problem(request.problem),
      panels(request.problem, depthwise),
      order(window_order),
      blocking(choose_blocking(request, row_bytes)),
      switches(simd::switches(request)),
      threads(used_threads(request)) {}

Decisions LoopPlan::decisions(std::vector<Stage> stages, std::vector<Buffer> scratch) const {
  Decisions d;
  d.stages = std::move(stages);
  d.stages.push_back(panels.stage(problem, order));
  d.scratch = std::move(scratch);
  d.scratch.insert(d.scratch.begin(), panels.bias_buffer());
  d.executed_flops = panels.executed_flops(problem);
  d.error_model = plain_sum_model(problem, DType::f32);
  d.notes = {"instructions: " + instruction_set()};
  return d;
}

std::int64_t picture_row_bytes(const Request& request) {
  const ConvProblem& p = request.problem;
  return p.spec().stride_h * p.wi() * p.ci() * size_of(request.dtype);
}

}  // namespace convlens::simd
