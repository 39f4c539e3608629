#include "kernels/vendor/sampled_outputs.h"

#include <cmath>

#include "algorithms/check/bounds.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/rounded.h"

namespace convlens::gpu {

namespace {

constexpr std::uint64_t kKeyPlaces = 4;

// The number of an element in NCHW order, and the other way round.
std::int64_t number(const Shape& at, const Shape& shape) {
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}
Shape place(std::int64_t number, const Shape& shape) {
  Shape at{};
  for (std::size_t axis = 4; axis-- > 0; number /= shape[axis]) at[axis] = number % shape[axis];
  return at;
}

double element(std::uint64_t key, DType dtype, const Shape& at, const Shape& shape) {
  return rounded(dtype, random_uniform(key, static_cast<std::uint64_t>(number(at, shape))));
}

}  // namespace

SampledOutputs::SampledOutputs(const ConvProblem& problem, DType dtype) : problem_(problem), dtype_(dtype) {
  const Shape shape = problem.y_shape();
  const std::int64_t outputs = elements(shape);
  if (outputs <= kMost) {
    for (std::int64_t k = 0; k < outputs; ++k) add(place(k, shape));
    return;
  }
  constexpr std::uint64_t kCorners = 16;
  for (std::uint64_t corner = 0; corner < kCorners; ++corner) {
    Shape at{};
    for (std::size_t axis = 0; axis < 4; ++axis)
      if (corner >> axis & 1) at[axis] = shape[axis] - 1;
    add(at);
  }
  for (std::uint64_t k = kCorners; k < kMost; ++k) add(place(random_integer(kKeyPlaces, k, 0, outputs - 1), shape));
}

void SampledOutputs::add(const Shape& at) {
  const ConvProblem& p = problem_;
  const auto [n, o, row, column] = at;
  double sum = p.bias() ? element(kKeyBias, dtype_, {0, o, 0, 0}, {1, p.co(), 1, 1}) : 0;
  double sum_abs = std::abs(sum);
  for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v) {
        const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
        if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) continue;
        const std::int64_t channel = p.group_of_output(o) * p.ci_per_group() + c;
        const double product =
            element(kKeyX, dtype_, {n, channel, h, w}, p.x_shape()) * element(kKeyW, dtype_, {o, c, u, v}, p.w_shape());
        sum += product;
        sum_abs += std::abs(product);
      }
  at_.push_back(at);
  expected_.push_back(sum);
  sum_abs_.push_back(sum_abs);
}

Verdict SampledOutputs::compare(const std::function<double(const Shape&)>& y, const ErrorModel& model) const {
  std::vector<double> bound(at_.size());
  model.worst_case({problem_, {}, {}, sum_abs_}, bound);
  Comparison comparison;
  for (std::size_t k = 0; k < at_.size(); ++k)
    comparison.add(static_cast<std::size_t>(number(at_[k], problem_.y_shape())), y(at_[k]), expected_[k],
                   bound[k] + output_rounding(dtype_, expected_[k]));
  Verdict verdict{.promise = "worst", .made = true};
  comparison.conclude(verdict, problem_.y_shape(), false);
  return verdict;
}

}  // namespace convlens::gpu
