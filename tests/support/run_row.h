// Running a row on random data and judging it by the direct sum.
#pragma once

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::testing {

// A tensor whose elements lie in memory in an order of their own: axes permuted, some reversed, two elements apart,
// with NaN between them.
class Scattered {
 public:
  Scattered(DType dtype, const Shape& shape, std::uint64_t seed) : memory_((2 * elements(shape) + 2) * size_of(dtype)) {
    std::memset(memory_.data(), 0xff, static_cast<std::size_t>(memory_.bytes()));
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    for (std::size_t k = 3; k > 0; --k)
      std::swap(order[k], order[static_cast<std::size_t>(random_integer(seed, k, 0, static_cast<std::int64_t>(k)))]);
    std::int64_t step = 2, start = 0;
    view_ = {memory_.data(), dtype, shape, {}, Place{}};
    for (std::size_t axis : order) {
      const bool reversed = random_integer(seed, 10 + axis, 0, 1) == 1;
      view_.strides[axis] = reversed ? -step : step;
      if (reversed) start += step * (shape[axis] - 1);
      step *= shape[axis];
    }
    if (elements(shape) > 0) view_.data = memory_.data() + start * size_of(dtype);
  }
  TensorView view() const { return view_; }

 private:
  HostBuffer memory_;
  TensorView view_;
};

// The inputs of one convolution, rounded to `dtype`, and what the definition makes of them, in long double.
struct Trial {
  ConvProblem problem;
  DType dtype;
  Scattered x, w, bias;
  std::vector<double> y, sum_abs;  // NCHW

  // `value_x` and `value_w` give the elements; the bias, where the problem has one, is value_w(o, 0, 0, 0).
  Trial(const ConvProblem& p, DType type, const Filler& value_x, const Filler& value_w, std::uint64_t seed)
      : problem(p),
        dtype(type),
        x(type, p.x_shape(), seed),
        w(type, p.w_shape(), seed + 1),
        bias(type, {p.co(), 1, 1, 1}, seed + 2) {
    fill(x.view(), value_x);
    fill(w.view(), value_w);
    fill(bias.view(), value_w);
    const Tensor x64 = converted(x.view(), DType::f64, Layout::NCHW),
                 w64 = converted(w.view(), DType::f64, FilterLayout::OIHW);
    const View<const double> xs = x64.as<double>(), ws = w64.as<double>();
    for (std::int64_t n = 0; n < p.n(); ++n)
      for (std::int64_t o = 0; o < p.co(); ++o)
        for (std::int64_t row = 0; row < p.ho(); ++row)
          for (std::int64_t column = 0; column < p.wo(); ++column) {
            long double sum = p.bias() ? element(bias.view(), o, 0, 0, 0) : 0, size = std::abs(sum);
            for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
              for (std::int64_t u = 0; u < p.hf(); ++u)
                for (std::int64_t v = 0; v < p.wf(); ++v) {
                  const std::int64_t channel = p.group_of_output(o) * p.ci_per_group() + c;
                  const long double pixel = xs.padded(n, channel, p.input_row(row, u), p.input_column(column, v));
                  sum += pixel * ws(o, c, u, v);
                  size += std::abs(pixel * ws(o, c, u, v));
                }
            y.push_back(static_cast<double>(sum));
            sum_abs.push_back(static_cast<double>(size));
          }
  }

  // Uniform in [−1, 1).
  Trial(const ConvProblem& p, DType type, std::uint64_t seed)
      : Trial(p, type, uniform(seed), uniform(seed + 77), seed) {}

  static Filler uniform(std::uint64_t seed) {
    return [seed](auto n, auto c, auto h, auto w) {
      return random_uniform(seed, static_cast<std::uint64_t>(((n * 512 + c) * 512 + h) * 512 + w));
    };
  }
};

// y in NCHW order. Output and workspace hold NaN at first. y lies as the plan has it, or scattered by a `seed` ≠ 0.
inline std::vector<double> run(const Plan& plan, const Trial& trial, std::uint64_t seed = 0) {
  const ConvProblem& p = plan.problem();
  const Scattered scattered(trial.dtype, p.y_shape(), seed);
  Tensor dense(trial.dtype, plan.request().layouts.y, p.y_shape());
  const TensorView y = seed == 0 ? dense.view() : scattered.view();
  fill(y, [](auto, auto, auto, auto) { return std::nan(""); });
  const HostBuffer memory(plan.workspace_bytes());
  if (memory.bytes() > 0) std::memset(memory.data(), 0xff, static_cast<std::size_t>(memory.bytes()));
  const BiasView bias{trial.bias.view().data, trial.dtype, p.co(), trial.bias.view().strides[0], Place{}};
  plan.run({trial.x.view(), trial.w.view(), p.bias() ? bias : BiasView{}, y},
           std::span<std::byte>(memory.data(), static_cast<std::size_t>(memory.bytes())));
  std::vector<double> values;
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t h = 0; h < p.ho(); ++h)
        for (std::int64_t w = 0; w < p.wo(); ++w) values.push_back(element(y, n, o, h, w));
  return values;
}

// The same bits, NaN included.
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// The first output beyond the plan's worst-case promise, in words, or "".
inline std::string beyond_promise(const Plan& plan, const Trial& trial, const std::vector<double>& y) {
  const Tensor x = converted(trial.x.view(), DType::f64, Layout::NCHW),
               w = converted(trial.w.view(), DType::f64, FilterLayout::OIHW);
  std::vector<double> bound(trial.y.size());
  plan.error_model().worst_case({plan.problem(), x.as<double>(), w.as<double>(), trial.sum_abs}, bound);
  if (y.size() != trial.y.size())
    return std::to_string(y.size()) + " outputs, expected " + std::to_string(trial.y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double allowed =
        bound[k] + unit_roundoff(trial.dtype) * std::abs(trial.y[k]) * (1 + 1e-6) + smallest_subnormal(trial.dtype);
    if (!(std::abs(y[k] - trial.y[k]) <= allowed))
      return "y[" + std::to_string(k) + "] = " + std::to_string(y[k]) + ", expected " + std::to_string(trial.y[k]) +
             " ± " + std::to_string(allowed);
  }
  return "";
}

}  // namespace convlens::testing
