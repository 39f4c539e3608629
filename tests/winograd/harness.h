// Running winograd.ref on small problems: fresh data, poisoned memory, and the float64 answer to compare
// with.
#pragma once

#include <omp.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"
#include "algorithms/winograd/winograd.h"
#include "tests/catch.h"

namespace winograd_test {

using namespace convlens;

inline Request request_of(const ConvSpec& spec, DType dtype = DType::f32, const std::string& options = "") {
  return {.problem = ConvProblem(spec), .dtype = dtype, .options = OptionSet::parse(options, winograd_ref().options)};
}

// The integer data of the failure cases.
inline double xh(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<double>((31 * n + 17 * c + 7 * h + 3 * w + h * w) % 11 - 5);
}
inline double wh(std::int64_t o, std::int64_t c, std::int64_t r, std::int64_t s) {
  return static_cast<double>((13 * o + 5 * c + 3 * r + 2 * s + r * s) % 7 - 3);
}

inline double constant_one(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }

// Uniform data, and its own every time a test is changed to another seed.
inline Filler uniform(std::uint64_t seed, const Shape& shape, double scale = 1) {
  return [=](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    const std::int64_t k = number_of({n, c, h, w}, shape);
    return scale * random_uniform(seed, static_cast<std::uint64_t>(k));
  };
}
inline Filler integers(std::uint64_t seed, const Shape& shape, std::int64_t most, std::int64_t unit = 1) {
  return [=](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    const std::int64_t k = number_of({n, c, h, w}, shape);
    return static_cast<double>(unit * random_integer(seed, static_cast<std::uint64_t>(k), -most, most));
  };
}

struct Tensors {
  Tensor x, w, bias;

  Tensors(const Request& request, const Filler& fill_x, const Filler& fill_w, const Filler& fill_bias = constant_one)
      : x(request.dtype, request.layouts.x, request.problem.x_shape()),
        w(request.dtype, request.layouts.w, request.problem.w_shape()) {
    fill(x.view(), fill_x);
    fill(w.view(), fill_w);
    if (!request.problem.bias()) return;
    bias = Tensor(request.dtype, Layout::NCHW, {request.problem.co(), 1, 1, 1});
    fill(bias.view(), fill_bias);
  }
};

// What a run leaves behind.
struct Outcome {
  Tensor y;
  HostBuffer workspace;
};

inline Outcome run(const Plan& plan, const Tensors& data) {
  const Request& request = plan.request();
  Outcome outcome{Tensor(request.dtype, request.layouts.y, request.problem.y_shape()),
                  HostBuffer(plan.workspace_bytes())};
  if (outcome.y.bytes() > 0) std::memset(outcome.y.view().data, 0xff, static_cast<std::size_t>(outcome.y.bytes()));
  if (plan.workspace_bytes() > 0)
    std::memset(outcome.workspace.data(), 0xff, static_cast<std::size_t>(plan.workspace_bytes()));
  Arguments arguments{data.x.view(), data.w.view(), {}, outcome.y.view()};
  if (request.problem.bias()) arguments.bias = {data.bias.view().data, request.dtype, request.problem.co()};
  plan.run(arguments, {outcome.workspace.data(), static_cast<std::size_t>(plan.workspace_bytes())});
  return outcome;
}

inline std::vector<double> values(const Tensor& tensor) {
  std::vector<double> list;
  const auto [a, b, c, d] = tensor.shape();
  for (std::int64_t i = 0; i < a; ++i)
    for (std::int64_t j = 0; j < b; ++j)
      for (std::int64_t k = 0; k < c; ++k)
        for (std::int64_t l = 0; l < d; ++l) list.push_back(element(tensor.view(), i, j, k, l));
  return list;
}

// The direct sum in long double, rounded once to float64: y and Σ|x||w| + |bias|, in NCHW order.
struct DirectSum {
  std::vector<double> y, sum_abs;
};
inline DirectSum direct_sum(const Request& request, const Tensors& data) {
  const ConvProblem& p = request.problem;
  const Tensor x = converted(data.x.view(), DType::f64, Layout::NCHW),
               w = converted(data.w.view(), DType::f64, FilterLayout::OIHW);
  const auto xv = x.as<double>(), wv = w.as<double>();
  const auto size = static_cast<std::size_t>(elements(p.y_shape()));
  DirectSum answer{std::vector<double>(size), std::vector<double>(size)};
#pragma omp parallel for collapse(2)
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t row = 0; row < p.ho(); ++row)
        for (std::int64_t column = 0; column < p.wo(); ++column) {
          const double bias = p.bias() ? element(data.bias.view(), o, 0, 0, 0) : 0;
          long double sum = bias, scale = std::abs(bias);
          for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
            for (std::int64_t u = 0; u < p.hf(); ++u)
              for (std::int64_t v = 0; v < p.wf(); ++v) {
                const long double term =
                    static_cast<long double>(xv.padded(n, p.group_of_output(o) * p.ci_per_group() + c,
                                                       p.input_row(row, u), p.input_column(column, v))) *
                    wv(o, c, u, v);
                sum += term;
                scale += std::abs(term);
              }
          const auto at = static_cast<std::size_t>(((n * p.co() + o) * p.ho() + row) * p.wo() + column);
          answer.y[at] = static_cast<double>(sum);
          answer.sum_abs[at] = static_cast<double>(scale);
        }
  return answer;
}

// The largest |y − answer| / bound of promise (b), output rounding included.
inline double largest_ratio(const Plan& plan, const Tensors& data, const Outcome& outcome, const DirectSum& answer) {
  const Request& request = plan.request();
  const Tensor x = converted(data.x.view(), DType::f64, Layout::NCHW),
               w = converted(data.w.view(), DType::f64, FilterLayout::OIHW);
  std::vector<double> bound(answer.y.size());
  plan.error_model().worst_case({request.problem, x.as<double>(), w.as<double>(), answer.sum_abs}, bound);
  const std::vector<double> y = values(outcome.y);
  double most = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double allowed =
        bound[k] + unit_roundoff(request.dtype) * std::abs(answer.y[k]) + smallest_subnormal(request.dtype) / 2;
    const double error = std::abs(y[k] - answer.y[k]);
    most = error <= allowed ? std::max(most, error / allowed)
                            : std::max(most, std::isnan(error) ? INFINITY : error / allowed);
  }
  return most;
}

// A random legal problem that winograd.ref serves, ragged in every way.
inline ConvSpec random_spec(std::uint64_t seed) {
  std::uint64_t draw = 0;
  const auto pick = [&](std::int64_t least, std::int64_t most) { return random_integer(seed, draw++, least, most); };
  ConvSpec spec;
  spec.n = pick(1, 3);
  spec.groups = pick(1, 3);
  spec.ci = spec.groups * pick(1, 7);
  spec.co = spec.groups * pick(1, 5);
  spec.hf = pick(1, 5);
  spec.wf = spec.hf == 1 ? pick(2, 5) : pick(1, 5);
  spec.pad_top = pick(0, 3), spec.pad_bottom = pick(0, 3), spec.pad_left = pick(0, 3), spec.pad_right = pick(0, 3);
  spec.hi = std::max(spec.hf - spec.pad_top - spec.pad_bottom, std::int64_t{1}) + pick(0, 11);
  spec.wi = std::max(spec.wf - spec.pad_left - spec.pad_right, std::int64_t{1}) + pick(0, 11);
  spec.bias = pick(0, 1) == 1;
  return spec;
}

inline std::string describe(const Request& request) {
  const ConvSpec& s = request.problem.spec();
  return std::to_string(s.n) + "x" + std::to_string(s.ci) + "x" + std::to_string(s.hi) + "x" + std::to_string(s.wi) +
         " filter " + std::to_string(s.co) + "x" + std::to_string(s.hf) + "x" + std::to_string(s.wf) + " pad " +
         std::to_string(s.pad_top) + "x" + std::to_string(s.pad_bottom) + "x" + std::to_string(s.pad_left) + "x" +
         std::to_string(s.pad_right) + " groups " + std::to_string(s.groups) + (s.bias ? " bias " : " ") +
         std::string(name(request.dtype)) + " " + run_name(winograd_ref(), request.options);
}

}  // namespace winograd_test
