#include "algorithms/check/bounds.h"

#include <cmath>

namespace convlens {

double output_rounding(DType dtype, double y) {
  return unit_roundoff(dtype) * std::abs(y) + smallest_subnormal(dtype) / 2;
}

std::vector<double> worst_case_bounds(const Plan& plan, const OracleCache::Entry& entry) {
  const Answer& answer = entry.answer;
  const Tensor x = converted(entry.inputs.x.view(), DType::f64, Layout::NCHW);
  const Tensor w = converted(entry.inputs.w.view(), DType::f64, FilterLayout::OIHW);
  std::vector<double> bound(answer.y.size());
  plan.error_model().worst_case({plan.problem(), x.as<double>(), w.as<double>(), answer.sum_abs}, bound);
  for (std::size_t k = 0; k < bound.size(); ++k) bound[k] += output_rounding(plan.request().dtype, answer.y[k]);
  return bound;
}

std::vector<double> likely_bounds(const Plan& plan, const OracleCache::Entry& entry) {
  const Answer& answer = entry.answer;
  const DType dtype = plan.request().dtype;
  const double terms = static_cast<double>(plan.problem().reduction());
  const double factor = 2 * std::sqrt(terms) * unit_roundoff(accumulator_of(dtype));
  std::vector<double> bound(answer.y.size());
  for (std::size_t k = 0; k < bound.size(); ++k)
    bound[k] = factor * answer.sum_abs[k] + output_rounding(dtype, answer.y[k]);
  return bound;
}

}  // namespace convlens
