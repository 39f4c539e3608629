#include "algorithms/winograd/winograd_rules.h"

#include <cmath>

#include "algorithms/error.h"
#include "algorithms/winograd/nested.h"

namespace convlens {

namespace {

Request with(const Request& request, const ConvSpec& spec) {
  Request changed = request;
  changed.problem = ConvProblem(spec);
  return changed;
}
Request with(const Request& request, const std::string& option, const std::string& value) {
  Request changed = request;
  changed.options.set(option, value);
  return changed;
}

std::optional<Refusal> needs_stride_1(const Request& request) {
  ConvSpec spec = request.problem.spec();
  if (spec.stride_h == 1 && spec.stride_w == 1) return std::nullopt;
  const std::string reason = "winograd needs stride 1, got " + size_text(spec.stride_h, spec.stride_w);
  spec.stride_h = spec.stride_w = 1;
  return Refusal{reason, with(request, spec)};
}

std::optional<Refusal> needs_dilation_1(const Request& request) {
  ConvSpec spec = request.problem.spec();
  if (spec.dilation_h == 1 && spec.dilation_w == 1) return std::nullopt;
  const std::string reason = "winograd needs dilation 1, got " + size_text(spec.dilation_h, spec.dilation_w);
  spec.dilation_h = spec.dilation_w = 1;
  return Refusal{reason, with(request, spec)};
}

std::optional<Refusal> needs_several_taps(const Request& request) {
  if (request.problem.taps() > 1) return std::nullopt;
  return Refusal{"winograd needs a filter of more than one tap, got 1x1, of which F(m,1) saves no multiplication", {}};
}

std::optional<Refusal> needs_few_points(const Request& request) {
  const std::int64_t r = std::max(request.problem.hf(), request.problem.wf()), m = request.options.integer("m");
  if (m + r - 1 <= kMaxPoints) return std::nullopt;
  std::optional<Request> nearest;
  if (r <= kMaxPoints) nearest = with(with(request, "points", "auto"), "m", std::to_string(kMaxPoints + 1 - r));
  return Refusal{"winograd needs m + filter - 1 <= " + std::to_string(kMaxPoints) + " points, got m " +
                     std::to_string(m) + " with a filter of " + size_text(request.problem.hf(), request.problem.wf()),
                 nearest};
}

std::optional<Refusal> needs_usable_points(const Request& request) {
  try {
    nest(request);
    return std::nullopt;
  } catch (const Error& error) {
    return Refusal{std::string("winograd: ") + error.what(), with(request, "points", "auto")};
  }
}

// Below its smallest normal number a type has few bits left; F(8x8,3x3) in f16 would return noise.
std::optional<Refusal> needs_range(const Request& request) {
  const DType stored = stored_type(request);
  const int least = std::ilogb(smallest_subnormal(stored) / (2 * unit_roundoff(stored)));
  const auto smallest = [](const Nested& f) { return std::min(f.smallest_v(), f.smallest_u()); };
  const Nested f = nest(request);
  if (smallest(f) >= least) return std::nullopt;
  const std::string reason = "winograd: " + f.name() + " in " + std::string(name(stored)) +
                             " makes data of size 1 as small as 2^" + std::to_string(smallest(f)) + ", must be >= 2^" +
                             std::to_string(least);
  for (long m = request.options.integer("m"); m >= 1; --m)
    if (const Request smaller = with(with(request, "points", "auto"), "m", std::to_string(m));
        smallest(nest(smaller)) >= least)
      return Refusal{reason, smaller};
  return Refusal{reason, {}};
}

std::string judge_points(std::string_view value) {
  if (value == "auto" || parse_points(value)) return "";
  return "must be auto, or distinct fractions of integers up to 1000 with commas or spaces between them (infinity, "
         "inf, is last and implied)";
}

}  // namespace

std::vector<Option> tile_options(const std::string& m) {
  return {
      {.id = "m",
       .title = "Output tile",
       .sentence = "How many outputs a tile makes along each axis on which the filter has several taps.",
       .values = {},
       .default_value = m,
       .accepts = integer_between(1, 8)},
      {.id = "points",
       .title = "Points",
       .sentence = "Where the polynomials are evaluated: m + filter - 2 fractions, as in 0,1,-1,1/2,-2.",
       .values = {},
       .default_value = "auto",
       .accepts = judge_points},
  };
}

std::vector<Option> winograd_options() {
  std::vector<Option> all = tile_options("2");
  all.push_back({.id = "stored",
                 .title = "Type of V and U",
                 .sentence =
                     "What the transformed data of f16 and bf16 tensors is stored in: the accumulator's f32, or "
                     "the tensors' own type, as tensor cores need it.",
                 .values = {"accumulator", "tensor"},
                 .default_value = "accumulator"});
  return all;
}

std::vector<Rule> winograd_rules() {
  return {{"stride 1", needs_stride_1},
          {"dilation 1", needs_dilation_1},
          {"a filter of more than one tap", needs_several_taps},
          {"m + filter - 1 <= 10 points an axis", needs_few_points},
          {"points whose fractions single precision holds", needs_usable_points},
          {"a tile whose transforms the type's range holds", needs_range}};
}

}  // namespace convlens
