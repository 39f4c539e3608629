#include "algorithms/check/nonfinite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/check/bounds.h"
#include "algorithms/check/trial.h"
#include "algorithms/interface/window.h"
#include "algorithms/tensor/random.h"

namespace convlens {

namespace {

constexpr std::int64_t kCropAbove = std::int64_t{1} << 22;  // multiplications

// One element of x or w that is made NaN or Inf.
struct Poison {
  bool in_filter = false;
  Shape at{};
  double value = 0;
};

// The input elements of one axis that some window reads, or those that none does.
std::vector<std::int64_t> elements_of(const WindowAxis& axis, bool read) {
  std::vector<std::int64_t> found;
  for (std::int64_t input = 0; input < axis.size; ++input) {
    bool any = false;
    axis.readers(input, [&](std::int64_t, std::int64_t) { any = true; });
    if (any == read) found.push_back(input);
  }
  return found;
}

// A NaN in an element that outputs depend on, a NaN in one that none does (where there are such), and an Inf in a
// weight.
std::vector<Poison> draw_poisons(const ConvProblem& p, std::uint64_t seed) {
  std::uint64_t counter = 0;
  const auto below = [&](std::int64_t end) { return random_integer(random_bits(seed, 10), counter++, 0, end - 1); };
  const auto any_of = [&](const std::vector<std::int64_t>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  };
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  const WindowAxis rows = WindowAxis::rows(p), columns = WindowAxis::columns(p);
  const auto read_rows = elements_of(rows, true), unread_rows = elements_of(rows, false);
  const auto read_columns = elements_of(columns, true), unread_columns = elements_of(columns, false);

  std::vector<Poison> poisons;
  if (!read_rows.empty() && !read_columns.empty())
    poisons.push_back({false, {below(p.n()), below(p.ci()), any_of(read_rows), any_of(read_columns)}, kNaN});
  if (!unread_rows.empty())
    poisons.push_back({false, {below(p.n()), below(p.ci()), any_of(unread_rows), below(p.wi())}, kNaN});
  else if (!unread_columns.empty())
    poisons.push_back({false, {below(p.n()), below(p.ci()), below(p.hi()), any_of(unread_columns)}, kNaN});
  const double infinity = below(2) == 0 ? kInfinity : -kInfinity;
  poisons.push_back({true, {below(p.co()), below(p.ci_per_group()), below(p.hf()), below(p.wf())}, infinity});
  return poisons;
}

Inputs poisoned(const Inputs& clean, const Poison& poison) {
  const DType dtype = clean.x.dtype();
  Inputs inputs{converted(clean.x.view(), dtype, Layout::NCHW), converted(clean.w.view(), dtype, FilterLayout::OIHW),
                converted(clean.bias.view(), dtype, Layout::NCHW)};
  Tensor& target = poison.in_filter ? inputs.w : inputs.x;
  const auto [n, c, h, w] = poison.at;
  visit(dtype, [&]<class T>() { target.as<T>()(n, c, h, w) = static_cast<T>(poison.value); });
  return inputs;
}

// Which outputs may be NaN or Inf although the oracle has a number there.
class Reach {
 public:
  Reach(const ConvProblem& problem, const ErrorModel& model, const Poison& poison, const std::vector<double>& expected)
      : problem_(problem), model_(model), poison_(poison) {
    if (model.spread != Spread::tile) return;
    tiles_h_ = (problem.ho() + model.tile_h - 1) / model.tile_h;
    tiles_w_ = (problem.wo() + model.tile_w - 1) / model.tile_w;
    tiles_.assign(static_cast<std::size_t>(problem.n() * problem.co() * tiles_h_ * tiles_w_), false);
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (!std::isfinite(expected[k])) tiles_[tile_of(static_cast<std::int64_t>(k))] = any_ = true;
  }

  bool covers(std::size_t output) const {
    if (model_.spread == Spread::exact) return false;
    const auto k = static_cast<std::int64_t>(output);
    return model_.spread == Spread::tile && any_ ? tiles_[tile_of(k)] : same_image(k);
  }

 private:
  std::int64_t plane_of(std::int64_t k) const { return k / (problem_.ho() * problem_.wo()); }
  std::size_t tile_of(std::int64_t k) const {
    const std::int64_t p = k / problem_.wo() % problem_.ho(), q = k % problem_.wo();
    return static_cast<std::size_t>((plane_of(k) * tiles_h_ + p / model_.tile_h) * tiles_w_ + q / model_.tile_w);
  }
  bool same_image(std::int64_t k) const {
    const std::int64_t n = plane_of(k) / problem_.co(), o = plane_of(k) % problem_.co();
    if (poison_.in_filter) return o == poison_.at[0];
    return n == poison_.at[0] && problem_.group_of_output(o) == problem_.group_of_input(poison_.at[1]);
  }

  const ConvProblem& problem_;
  const ErrorModel& model_;
  const Poison& poison_;
  std::int64_t tiles_h_ = 1, tiles_w_ = 1;
  std::vector<bool> tiles_;
  bool any_ = false;  // output depends on the element
};

}  // namespace

ConvProblem cropped(const ConvProblem& problem) {
  const auto crop = [](std::int64_t size, std::int64_t needed) { return std::clamp<std::int64_t>(needed, 1, size); };
  ConvProblem result = problem;
  // So many output rows, output columns and channels are left; 12 is enough unless the filter is large.
  for (std::int64_t most = 12; result.multiplications() > kCropAbove && most > 0; most /= 2) {
    ConvSpec spec = problem.spec();
    spec.n = std::min<std::int64_t>(spec.n, 2);
    spec.groups = std::min<std::int64_t>(spec.groups, 4);
    spec.ci = spec.groups * std::min(problem.ci_per_group(), most);
    spec.co = spec.groups * std::min(problem.co_per_group(), most);
    const std::int64_t pad_h = spec.pad_top + spec.pad_bottom, pad_w = spec.pad_left + spec.pad_right;
    spec.hi = crop(spec.hi, problem.extent_h() + (most - 1) * spec.stride_h - pad_h);
    spec.wi = crop(spec.wi, problem.extent_w() + (most - 1) * spec.stride_w - pad_w);
    result = ConvProblem(spec);
  }
  return result;
}

Verdict check_nonfinite(const Algorithm& algorithm, const Request& asked, std::uint64_t seed, OracleCache& cache) {
  Request request = asked;
  request.problem = cropped(asked.problem);
  if (!algorithm.supports(request)) request = asked;
  const std::shared_ptr<const Plan> plan = algorithm.plan(request);
  const ConvProblem& problem = plan->problem();

  Verdict verdict{.promise = "nonfinite", .made = !algorithm.vendor};
  if (problem.n() == 0 || algorithm.vendor) return verdict;
  const auto clean = cache.get(problem, request.dtype, {Data::Kind::uniform, {}, seed});
  const std::vector<double> bound = worst_case_bounds(*plan, *clean);
  Comparison comparison;
  for (const Poison& poison : draw_poisons(problem, seed)) {
    const Inputs inputs = poisoned(clean->inputs, poison);
    const std::vector<double> expected = oracle(problem, inputs).y;
    const Reach reach(problem, plan->error_model(), poison, expected);
    const bool exactly = plan->error_model().spread == Spread::exact;

    Trial trial(plan, inputs);
    const std::vector<double> got = trial.run();
    if (verdict.fault.empty()) verdict.fault = trial.fault();
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool lost_number = !std::isfinite(got[k]);
      if (!std::isfinite(expected[k])) {
        if (exactly || !lost_number) comparison.add(k, got[k], expected[k], 0);
      } else if (!lost_number || !reach.covers(k)) {
        comparison.add(k, got[k], expected[k], bound[k]);
      }
    }
  }
  comparison.conclude(verdict, problem.y_shape(), true);
  return verdict;
}

}  // namespace convlens
