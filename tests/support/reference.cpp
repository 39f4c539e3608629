#include "tests/support/reference.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/support/guarded_tensor.h"

namespace convlens::testing {

namespace {

View<const double> seen_as(const std::vector<double>& values, const Shape& shape) {
  return {values.data(), shape, dense_strides(Layout::NCHW, shape)};
}

template <class Visit>
void for_each_output(const ConvProblem& p, Visit&& visit) {
  std::size_t k = 0;
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t row = 0; row < p.ho(); ++row)
        for (std::int64_t column = 0; column < p.wo(); ++column) visit(k++, n, o, row, column);
}

// Outputs that share a tile (or an image) of their plane with one that is not finite.
std::vector<bool> spread_over(const ErrorModel& model, const Reference& r) {
  std::vector<bool> lost(r.y.size(), false);
  if (model.spread == Spread::exact) return lost;
  const std::int64_t ho = r.problem.ho(), wo = r.problem.wo();
  const std::int64_t tile_h = model.spread == Spread::image ? ho : model.tile_h;
  const std::int64_t tile_w = model.spread == Spread::image ? wo : model.tile_w;
  for_each_output(r.problem, [&](std::size_t k, auto, auto, std::int64_t row, std::int64_t column) {
    if (std::isfinite(r.y[k])) return;
    const std::int64_t plane = static_cast<std::int64_t>(k) - row * wo - column;
    const std::int64_t top = row / tile_h * tile_h, left = column / tile_w * tile_w;
    for (std::int64_t p = top; p < std::min(top + tile_h, ho); ++p)
      for (std::int64_t q = left; q < std::min(left + tile_w, wo); ++q)
        lost[static_cast<std::size_t>(plane + p * wo + q)] = true;
  });
  return lost;
}

// The limits that the cases set for filters of at most 3×3. They know nothing of bf16, nor of what longer
// filters cost: there the promise of the row's own error model is the only limit.
double limit_of_the_cases(const Reference& r) {
  if (r.problem.hf() > 3 || r.problem.wf() > 3) return kNoLimit;
  switch (r.dtype) {
    case DType::f64:
      return 1e-9;
    case DType::f32:
      return 1e-3;
    case DType::f16:
      return 0.25;
    case DType::bf16:
      break;
  }
  return kNoLimit;
}

bool finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

Reference::Reference(const ConvProblem& p, DType type, std::vector<double> x_values, std::vector<double> w_values,
                     std::vector<double> bias_values)
    : problem(p), dtype(type), x(std::move(x_values)), w(std::move(w_values)), bias(std::move(bias_values)) {
  const auto size = static_cast<std::size_t>(elements(p.y_shape()));
  y.resize(size);
  sum_abs.resize(size);
  const View<const double> xs = seen_as(x, p.x_shape()), ws = seen_as(w, p.w_shape());
  for_each_output(p, [&](std::size_t k, auto n, auto o, auto row, auto column) {
    double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)], magnitude = std::abs(sum);
    for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
      for (std::int64_t u = 0; u < p.hf(); ++u)
        for (std::int64_t v = 0; v < p.wf(); ++v) {
          const std::int64_t channel = p.group_of_output(o) * p.ci_per_group() + c;
          const double term = xs.padded(n, channel, p.input_row(row, u), p.input_column(column, v)) * ws(o, c, u, v);
          sum += term;
          magnitude += std::abs(term);
        }
    y[k] = sum;
    sum_abs[k] = magnitude;
  });
}

Judge::Judge(const Plan& plan, const Reference& reference, double tolerance)
    : reference_(reference),
      transforms_(transforms(plan.algorithm())),
      tolerance_(tolerance > 0 ? tolerance : limit_of_the_cases(reference)) {
  const ErrorModel& model = plan.error_model();
  may_be_lost_.assign(reference.y.size(), false);
  if (!transforms_) return;
  may_be_lost_ = spread_over(model, reference);
  if (!finite(reference.x) || !finite(reference.w) || reference.y.empty()) return;
  const ConvProblem& p = reference.problem;
  promise_.resize(reference.y.size());
  model.worst_case({p, seen_as(reference.x, p.x_shape()), seen_as(reference.w, p.w_shape()), reference.sum_abs},
                   promise_);
  for (std::size_t k = 0; k < promise_.size(); ++k)
    promise_[k] += unit_roundoff(reference.dtype) * std::abs(reference.y[k]) + smallest_subnormal(reference.dtype) / 2;
}

bool Judge::right(std::size_t k, double got) const {
  const double exact = reference_.y[k], nearest = rounded(reference_.dtype, exact);
  if (!std::isfinite(exact) && transforms_) return !std::isfinite(got);
  if (std::isnan(nearest)) return std::isnan(got);
  if (!transforms_) return got == nearest;
  if (may_be_lost_[k] && !std::isfinite(got)) return true;
  const double error = std::abs(got - exact);
  // The error bound is of the computed y before it is rounded, so that its own rounding is measured on the
  // larger value.
  const double slack = promise_.empty() ? 0 : unit_roundoff(reference_.dtype) * promise_[k];
  return error <= tolerance_ + std::abs(nearest - exact) && (promise_.empty() || error <= promise_[k] + slack);
}

std::string Judge::complaint(const std::vector<double>& y) const {
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = y.size(); k-- > 0;)
    if (!right(k, y[k])) {
      ++wrong;
      first = k;
    }
  if (wrong == 0) return "";
  std::ostringstream text;
  text.precision(10);
  text << wrong << " of " << y.size() << " outputs wrong, the first is y_flat[" << first << "] = " << y[first]
       << ", must be " << reference_.y[first];
  if (transforms_ && tolerance_ < kNoLimit) text << " ± " << tolerance_;
  if (!promise_.empty()) text << " ± " << promise_[first] << " as promised";
  return text.str();
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

}  // namespace convlens::testing
