#include "kernels/vendor/sampled_outputs.h"

#include <cmath>

#include "algorithms/check/bounds.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/rounded.h"

namespace convlens::gpu {

namespace {

constexpr std::uint64_t kKeyPlaces = 4;

}  // namespace

Elements uniform_elements(const ConvProblem& problem, DType dtype) {
  const auto stream = [dtype](std::uint64_t key, const Shape& shape) {
    return [=](const Shape& at) {
      return rounded(dtype, random_uniform(key, static_cast<std::uint64_t>(number_of(at, shape))));
    };
  };
  return {.x = stream(kKeyX, problem.x_shape()),
          .w = stream(kKeyW, problem.w_shape()),
          .bias = stream(kKeyBias, {problem.co(), 1, 1, 1})};
}

SampledOutputs::SampledOutputs(const ConvProblem& problem, DType dtype, const Elements& elements)
    : problem_(problem), dtype_(dtype) {
  const Shape shape = problem.y_shape();
  const std::int64_t outputs = convlens::elements(shape);
  if (outputs <= kMost) {
    for (std::int64_t k = 0; k < outputs; ++k) add(place_of(k, shape), elements);
    return;
  }
  constexpr std::uint64_t kCorners = 16;
  for (std::uint64_t corner = 0; corner < kCorners; ++corner) {
    Shape at{};
    for (std::size_t axis = 0; axis < 4; ++axis)
      if (corner >> axis & 1) at[axis] = shape[axis] - 1;
    add(at, elements);
  }
  for (std::uint64_t k = kCorners; k < kMost; ++k)
    add(place_of(random_integer(kKeyPlaces, k, 0, outputs - 1), shape), elements);
}

void SampledOutputs::add(const Shape& at, const Elements& elements) {
  const ConvProblem& p = problem_;
  const auto [n, o, row, column] = at;
  double sum = p.bias() ? elements.bias({o, 0, 0, 0}) : 0;
  double sum_abs = std::abs(sum);
  for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v) {
        const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
        if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) continue;
        const std::int64_t channel = p.group_of_output(o) * p.ci_per_group() + c;
        const double product = elements.x({n, channel, h, w}) * elements.w({o, c, u, v});
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
    comparison.add(static_cast<std::size_t>(number_of(at_[k], problem_.y_shape())), y(at_[k]), expected_[k],
                   bound[k] + output_rounding(dtype_, expected_[k]));
  Verdict verdict{.promise = "worst", .made = true};
  comparison.conclude(verdict, problem_.y_shape(), false);
  return verdict;
}

}  // namespace convlens::gpu
