#include "viewer/logic/numerics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/check/bounds.h"
#include "algorithms/check/check.h"
#include "algorithms/check/trial.h"
#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/interface/window.h"
#include "algorithms/measure/device.h"
#include "algorithms/tensor/rounded.h"

namespace convlens::viewer {

namespace {

// Whether `y` is what `right` says, as far as the type can say it: NaN is NaN, and too large is infinite.
bool same_special(DType dtype, double y, double right) {
  return (std::isnan(y) && std::isnan(right)) || (std::isinf(y) && y == rounded(dtype, right));
}

std::vector<double> errors(DType dtype, const std::vector<double>& y, const Answer& right, const Answer& scale) {
  std::vector<double> sizes(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double difference = std::abs(y[k] - right.y[k]);
    if (same_special(dtype, y[k], right.y[k]))
      sizes[k] = std::numeric_limits<double>::quiet_NaN();
    else if (!std::isfinite(difference))
      sizes[k] = std::numeric_limits<double>::infinity();
    else
      sizes[k] = difference == 0 ? 0 : difference / (unit_roundoff(dtype) * scale.sum_abs[k]);
  }
  return sizes;
}

std::string not_finite(const std::vector<double>& y, const std::vector<double>& right) {
  const auto any = [&](auto wanted) { return std::ranges::any_of(y, wanted) || std::ranges::any_of(right, wanted); };
  if (any([](double value) { return std::isnan(value); })) return "NaN";
  return any([](double value) { return std::isinf(value); }) ? "Inf" : "";
}

// Promises (b) and (c) on the clean data; outputs that the type cannot hold are left out.
Verdict within(const char* promise, const std::vector<double>& y, const Plan& plan, const OracleCache::Entry& entry,
               const std::vector<double>& bound, const std::string& fault) {
  Verdict verdict{.promise = promise, .fault = fault};
  const DType dtype = plan.request().dtype;
  Comparison comparison;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double right = entry.answer.y[k];
    if (!std::isfinite(right) || !std::isfinite(bound[k]) || same_special(dtype, y[k], right)) continue;
    verdict.made = true;
    comparison.add(k, y[k], right, bound[k]);
  }
  if (verdict.made) comparison.conclude(verdict, plan.problem().y_shape(), false);
  return verdict;
}

// Promise (c), where the row gives it.
Verdict likely(const std::vector<double>& y, const Plan& plan, const OracleCache::Entry& entry,
               const std::string& fault) {
  if (!plan.error_model().likely) return {.promise = "likely"};
  return within("likely", y, plan, entry, likely_bounds(plan, entry), fault);
}

// Whether outputs read the injected element.
class Readers {
 public:
  Readers(const ConvProblem& p, const Shape& at) : p_(p), at_(at) {
    rows_.assign(static_cast<std::size_t>(p.ho()), false);
    columns_.assign(static_cast<std::size_t>(p.wo()), false);
    WindowAxis::rows(p).readers(at[2], [&](auto row, auto) { rows_[static_cast<std::size_t>(row)] = true; });
    WindowAxis::columns(p).readers(at[3],
                                   [&](auto column, auto) { columns_[static_cast<std::size_t>(column)] = true; });
  }
  bool same_image(const Shape& y) const {
    return y[0] == at_[0] && p_.group_of_output(y[1]) == p_.group_of_input(at_[1]);
  }
  bool reads(const Shape& y) const {
    return same_image(y) && rows_[static_cast<std::size_t>(y[2])] && columns_[static_cast<std::size_t>(y[3])];
  }
  // Whether some output of the tile of `y`, tiles being th × tw outputs, reads it.
  bool tile_reads(const Shape& y, std::int64_t th, std::int64_t tw) const {
    const auto any = [](const std::vector<bool>& axis, std::int64_t at, std::int64_t tile) {
      const auto first = static_cast<std::ptrdiff_t>(at / tile * tile);
      const auto end = std::min(first + static_cast<std::ptrdiff_t>(tile), static_cast<std::ptrdiff_t>(axis.size()));
      return std::find(axis.begin() + first, axis.begin() + end, true) != axis.begin() + end;
    };
    return same_image(y) && any(rows_, y[2], th) && any(columns_, y[3], tw);
  }

 private:
  const ConvProblem& p_;
  Shape at_;
  std::vector<bool> rows_, columns_;
};

double largest_number(const std::vector<double>& sizes) {
  double largest = 0;
  for (const double size : sizes)
    if (std::isfinite(size)) largest = std::max(largest, size);
  return largest;
}

// `clean`: the errors of the undisturbed run; `bound`: the worst-case ones, absolute.
Reach reach_of(const Plan& plan, const Material& material, const std::vector<double>& y,
               const std::vector<double>& bound, const std::vector<double>& clean, bool outlier) {
  const ConvProblem& p = plan.problem();
  const ErrorModel& model = plan.error_model();
  const Readers readers(p, material.at);
  // Those that do not read the element are compared with what they are without it.
  const std::vector<double> sizes = errors(plan.request().dtype, y, material.plain.answer, material.plain.answer);
  Reach reach{.clean = largest_number(clean)};
  for (std::size_t k = 0; k < y.size(); ++k) {
    const Shape at = output_at(k, p.y_shape());
    if (readers.reads(at)) {
      ++reach.readers;
      continue;
    }
    reach.largest = std::max(reach.largest, std::isnan(sizes[k]) ? 0 : sizes[k]);
    const bool right =
        outlier ? !(sizes[k] > kSpoilt * reach.clean) : std::abs(y[k] - material.plain.answer.y[k]) <= bound[k];
    if (right) continue;
    ++reach.beyond;
    const bool in_tile = model.spread == Spread::tile && readers.tile_reads(at, model.tile_h, model.tile_w);
    reach.seen = in_tile ? std::max(reach.seen, Spread::tile) : Spread::image;
    reach.left_image = reach.left_image || !readers.same_image(at);
  }
  return reach;
}

void compute(Numerics& result, const std::shared_ptr<const Plan>& plan, std::uint64_t seed, bool outlier,
             Materials& materials) {
  const Material& material = *result.material;
  Trial clean(plan, material.plain.inputs);
  result.y = clean.run();
  std::vector<double> bound = worst_case_bounds(*plan, material.plain);
  if (material.in_range)
    result.verdicts = {check_exact(plan, seed, materials.integers()),
                       within("worst", result.y, *plan, material.plain, bound, clean.fault()),
                       likely(result.y, *plan, material.plain, clean.fault())};
  else
    result.verdicts = {{.promise = "exact"}, {.promise = "worst"}, {.promise = "likely"}};
  const Answer* right = &material.plain.answer;
  if (material.struck) {
    const std::vector<double> clean_y = std::exchange(result.y, Trial(plan, material.struck->inputs).run());
    const std::vector<double> clean_errors =
        errors(result.dtype, clean_y, material.plain.answer, material.plain.answer);
    result.reach = reach_of(*plan, material, result.y, bound, clean_errors, outlier);
    right = &material.struck->answer;
  }
  result.right = right->y;
  result.error = errors(result.dtype, result.y, *right, material.plain.answer);
  for (std::size_t k = 0; k < bound.size(); ++k)
    if (const double unit = unit_roundoff(result.dtype) * material.plain.answer.sum_abs[k]; unit > 0)
      result.bound = std::max(result.bound, bound[k] / unit);
  result.not_finite = not_finite(result.y, result.right);
  const auto size = [](double error) { return std::isnan(error) ? -1 : error; };
  result.worst = static_cast<std::size_t>(std::ranges::max_element(result.error, {}, size) - result.error.begin());
  result.declared = plan->error_model().spread;
  if (result.declared == Spread::tile)
    result.tile_h = plan->error_model().tile_h, result.tile_w = plan->error_model().tile_w;
}

}  // namespace

Numerics numerics_of(const std::string& run, const ConvProblem& problem, DType dtype, const Layouts& layouts,
                     std::uint64_t seed, const NumericsState& settings, Materials& materials) {
  Numerics result{.run = run, .spec = problem.spec(), .dtype = dtype};
  try {
    const Run parsed = parse_run(run);
    const Request request = complete(*parsed.algorithm, {problem, dtype, layouts, parsed.options});
    if (const Support support = parsed.algorithm->supports(request); !support)
      result.refused = support.reason;
    else
      result.refused = why_not_here(*parsed.algorithm);
    if (!result.refused.empty()) return result;
    result.material = materials.get(problem, dtype, seed, settings);
    compute(result, parsed.algorithm->plan(request), seed, settings.injection == "outlier", materials);
  } catch (const Error& error) {
    result.refused = error.what();
    result.y.clear();
  }
  return result;
}

Shape output_at(std::size_t number, const Shape& y) {
  Shape at{};
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t axis = 4; axis-- > 0; rest /= y[axis]) at[axis] = rest % y[axis];
  return at;
}

std::size_t output_number(const Shape& at, const Shape& y) {
  return static_cast<std::size_t>(((at[0] * y[1] + at[1]) * y[2] + at[2]) * y[3] + at[3]);
}

ElementTerms terms_of(const ConvProblem& p, const Inputs& inputs, const Shape& at) {
  const auto [n, o, row, column] = at;
  const std::int64_t first = p.group_of_output(o) * p.ci_per_group();
  ElementTerms result;
  if (p.bias()) result.bias = element(inputs.bias.view(), o, 0, 0, 0);
  double sum = result.bias, scale = std::abs(result.bias);
  for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v) {
        SumTerm term{c, u, v, p.input_row(row, u), p.input_column(column, v)};
        term.padding = term.h < 0 || term.h >= p.hi() || term.w < 0 || term.w >= p.wi();
        term.x = term.padding ? 0 : element(inputs.x.view(), n, first + c, term.h, term.w);
        term.weight = element(inputs.w.view(), o, c, u, v);
        (term.product() < 0 ? result.negative : result.positive) += term.product();
        sum += term.product(), scale += std::abs(term.product());
        result.terms.push_back(term);
      }
  result.cancellation = scale / std::abs(sum);
  const auto size = [](const SumTerm& t) {
    return std::isnan(t.product()) ? std::numeric_limits<double>::infinity() : std::abs(t.product());
  };
  std::ranges::stable_sort(result.terms, std::ranges::greater{}, size);
  return result;
}

Histogram histogram_of(const Numerics& numerics) {
  constexpr int kBins = (Histogram::kMost - Histogram::kLeast) * Histogram::kPerDecade;
  Histogram histogram;
  histogram.bins.assign(kBins, 0);
  for (const double error : numerics.error) {
    if (error == 0) {
      ++histogram.zero;
    } else if (!std::isfinite(error)) {
      ++histogram.infinite;
    } else {
      const double at = (std::log10(error) - Histogram::kLeast) * Histogram::kPerDecade;
      ++histogram.bins[static_cast<std::size_t>(std::clamp(static_cast<int>(std::floor(at)), 0, kBins - 1))];
    }
  }
  histogram.most = std::ranges::max(histogram.bins);
  return histogram;
}

}  // namespace convlens::viewer
