// Random layers and requests. Each axis is drawn filter first; the image is then large enough by construction, so that
// nothing drawn is illegal.
#include "algorithms/check/fuzz.h"

#include <algorithm>
#include <optional>
#include <string>

#include "algorithms/tensor/random.h"

namespace convlens {

namespace {

constexpr std::int64_t kMostMultiplications = std::int64_t{1} << 22;

// A GPU's kernels are compiled for a choice of type, layouts and options, which takes longer than to run them on a
// small problem: so many problems in a row get the same.
constexpr std::uint64_t kProblemsAChoice = 8;

// The random numbers of one problem or request, one after the other.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t index, std::uint64_t purpose)
      : stream_(random_bits(random_bits(seed, purpose), index)) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return random_integer(stream_, counter_++, least, most);
  }
  bool one_in(std::int64_t times) { return between(1, times) == 1; }
  template <class Values>
  const auto& pick(const Values& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(values.size()) - 1))];
  }

 private:
  std::uint64_t stream_, counter_ = 0;
};

struct Axis1D {
  std::int64_t size = 1, filter = 1, stride = 1, dilation = 1, before = 0, after = 0;
};

Axis1D draw_axis(Dice& dice) {
  Axis1D a;
  a.filter = dice.one_in(5) ? 1 : dice.one_in(10) ? dice.between(6, 11) : dice.between(2, 5);
  if (dice.one_in(2)) a.stride = dice.one_in(3) ? a.filter + dice.between(1, 3) : dice.between(2, 4);
  if (dice.one_in(3)) a.dilation = dice.between(2, 5);
  if (dice.one_in(2)) {
    const std::int64_t most = dice.one_in(6) ? 2 * a.filter : a.filter - 1;
    a.before = dice.between(0, most);
    a.after = dice.one_in(2) ? a.before : dice.between(0, most);
  }
  const std::int64_t reach = a.dilation * (a.filter - 1) + 1;
  if (dice.one_in(6)) {  // the window reaches beyond the image: only padding makes it fit
    a.size = dice.between(1, std::max<std::int64_t>(1, reach - 1));
    const std::int64_t missing = std::max<std::int64_t>(0, reach - a.size - a.before - a.after);
    const std::int64_t first = dice.between(0, missing);
    a.before += first, a.after += missing - first;
  } else {
    a.size = std::max<std::int64_t>(1, reach - a.before - a.after) + dice.between(0, 15);
  }
  return a;
}

void draw_channels(Dice& dice, ConvSpec& s) {
  std::int64_t ci_per_group = 1, co_per_group = 1;
  const auto channels = [&] { return dice.one_in(4) ? 8 * dice.between(1, 8) : dice.between(1, 20); };
  switch (dice.between(0, 5)) {
    case 0:  // depthwise, perhaps with a multiplier
      s.groups = dice.between(2, 12);
      co_per_group = dice.between(1, 3);
      break;
    case 1:
      s.groups = dice.between(2, 4);
      ci_per_group = dice.between(2, 9);
      co_per_group = dice.between(1, 9);
      break;
    default:
      s.groups = 1;
      ci_per_group = channels();
      co_per_group = channels();
  }
  s.ci = s.groups * ci_per_group;
  s.co = s.groups * co_per_group;
}

ConvSpec draw_layer(Dice& dice) {
  Axis1D rows = draw_axis(dice), columns = draw_axis(dice);
  if (dice.one_in(3)) {  // as networks have it
    columns.filter = rows.filter, columns.dilation = rows.dilation, columns.stride = rows.stride;
    columns.before = rows.before, columns.after = rows.after;
    columns.size = rows.size + dice.between(0, 5);
  } else if (dice.one_in(6)) {  // 1×N or N×1
    Axis1D& flat = dice.one_in(2) ? rows : columns;
    flat.filter = 1;
  }
  ConvSpec s;
  s.n = dice.one_in(24) ? 0 : dice.one_in(8) ? dice.between(5, 18) : dice.between(1, 4);
  draw_channels(dice, s);
  s.hi = rows.size, s.wi = columns.size;
  s.hf = rows.filter, s.wf = columns.filter;
  s.stride_h = rows.stride, s.stride_w = columns.stride;
  s.dilation_h = rows.dilation, s.dilation_w = columns.dilation;
  s.pad_top = rows.before, s.pad_bottom = rows.after;
  s.pad_left = columns.before, s.pad_right = columns.after;
  s.bias = dice.one_in(2);
  return s;
}

// One of the option's values; of free text, the default or a number that it accepts. Of a GPU's kernels, `sizes` is
// mostly runtime: one that is compiled then serves every problem.
std::string draw_value(Dice& dice, const Option& option) {
  if (option.id == "sizes" && !dice.one_in(8)) return "runtime";
  if (!option.values.empty()) return dice.pick(option.values);
  constexpr int kTries = 8;
  for (int k = 0; option.accepts && k < kTries; ++k)
    if (const std::string value = std::to_string(dice.between(1, 16)); option.accepts(value).empty()) return value;
  return option.default_value;
}

// What the row itself proposes instead of a request that it refuses, followed from rule to rule.
Request nearest_supported(const Algorithm& algorithm, Request request) {
  constexpr int kMostSteps = 8;
  for (int k = 0; k < kMostSteps; ++k) {
    std::optional<Request> nearest = algorithm.supports(request).nearest;
    if (!nearest || nearest->problem.multiplications() > kMostMultiplications) break;
    request = *std::move(nearest);
  }
  return request;
}

}  // namespace

ConvProblem random_problem(std::uint64_t seed, std::uint64_t index) {
  Dice dice(seed, index, 0);
  for (;;) {
    const ConvProblem problem(draw_layer(dice));
    if (problem.multiplications() <= kMostMultiplications) return problem;
  }
}

Request random_request(const Algorithm& algorithm, const ConvProblem& problem, std::uint64_t seed,
                       std::uint64_t index) {
  Dice dice(seed, algorithm.unit == Unit::cpu ? index : index / kProblemsAChoice, 1);
  Request request{problem};
  request.dtype = dice.pick(kDTypes);
  request.layouts = {dice.pick(kLayouts), dice.pick(kFilterLayouts), dice.pick(kLayouts)};
  request.threads = static_cast<int>(dice.one_in(2) ? 1 : dice.between(2, 4));
  for (const Option& option : algorithm.options) request.options.set(option.id, draw_value(dice, option));
  return dice.one_in(2) ? nearest_supported(algorithm, request) : request;
}

}  // namespace convlens
