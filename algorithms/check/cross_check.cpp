#include "algorithms/check/cross_check.h"

#include <cmath>

#include "algorithms/check/bounds.h"
#include "algorithms/interface/algorithm.h"
#include "algorithms/problem/checked.h"

namespace convlens {

namespace {

// `tensor` with 0 in place of NaN and Inf.
template <class AnyLayout>
Tensor finite(const Tensor& tensor, AnyLayout layout) {
  Tensor result(tensor.dtype(), layout, tensor.shape());
  fill(result.view(), [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    const double value = element(tensor.view(), n, c, h, w);
    return std::isfinite(value) ? value : 0.0;
  });
  return result;
}

bool all_finite(const Tensor& tensor, std::int64_t n) {
  const Shape& s = tensor.shape();
  for (std::int64_t c = 0; c < s[1]; ++c)
    for (std::int64_t h = 0; h < s[2]; ++h)
      for (std::int64_t w = 0; w < s[3]; ++w)
        if (!std::isfinite(element(tensor.view(), n, c, h, w))) return false;
  return true;
}

bool all_finite(const Tensor& tensor) {
  for (std::int64_t n = 0; n < tensor.shape()[0]; ++n)
    if (!all_finite(tensor, n)) return false;
  return true;
}

double rounded(double value, DType dtype) {
  return visit(dtype, [&]<class T>() -> double { return static_cast<T>(value); });
}

}  // namespace

CrossCheck::CrossCheck(const ConvProblem& problem, const Tensor& x, const Tensor& w) {
  given_.inputs.x = converted(x.view(), x.dtype(), Layout::NCHW);
  given_.inputs.w = converted(w.view(), w.dtype(), FilterLayout::OIHW);
  given_.answer = oracle(problem, given_.inputs);

  bool any = !all_finite(w);
  for (std::int64_t n = 0; n < problem.n(); ++n) {
    poisoned_images_.push_back(!all_finite(x, n));
    any = any || poisoned_images_.back();
  }
  if (!any) return;
  finite_.inputs.x = finite(x, Layout::NCHW);
  finite_.inputs.w = finite(w, FilterLayout::OIHW);
  finite_.answer = oracle(problem, finite_.inputs);
}

std::int64_t CrossCheck::bytes(const ConvProblem& p) {
  const std::int64_t padded =
      checked::product("elements of the padded input", {p.n(), p.ci(), p.padded_h(), p.padded_w()});
  return checked::product("bytes of a check",
                          {checked::sum("elements of a check", {padded, 3 * elements(p.y_shape())}), 8});
}

Verdict CrossCheck::judge(const Plan& plan, const Tensor& y) const {
  const bool any_poison = finite_.answer.y.size() == given_.answer.y.size() && !given_.answer.y.empty();
  const std::vector<double> bound = worst_case_bounds(plan, any_poison ? finite_ : given_);
  const bool exactly = plan.error_model().spread == Spread::exact;
  const Tensor got = converted(y.view(), DType::f64, Layout::NCHW);
  const double* const values = got.as<double>().data;
  const std::size_t image = bound.empty() ? 1 : bound.size() / poisoned_images_.size();

  Comparison comparison;
  for (std::size_t k = 0; k < bound.size(); ++k) {
    const double expected = given_.answer.y[k];
    if (std::isinf(values[k]) && values[k] == rounded(expected, y.dtype())) continue;  // where the type overflows
    const bool lost = !std::isfinite(values[k]), must_be_lost = !std::isfinite(expected);
    if (plan.algorithm().vendor && (must_be_lost || poisoned_images_[k / image])) continue;  // which promises nothing
    if (must_be_lost) {
      if (exactly || !lost) comparison.add(k, values[k], expected, 0);
    } else if (!lost || exactly || !poisoned_images_[k / image]) {
      comparison.add(k, values[k], expected, bound[k]);
    }
  }
  Verdict verdict;
  verdict.promise = "worst";
  verdict.made = true;
  comparison.conclude(verdict, plan.problem().y_shape(), false);
  return verdict;
}

}  // namespace convlens
