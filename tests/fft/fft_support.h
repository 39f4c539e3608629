// What the tests of the FFT rows share: random problems, runs on garbage memory, and the answer in long double.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/fft/fft.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"
#include "tests/catch.h"

namespace fft_test {

using namespace convlens;

// Says so where the row cannot run; tests that run it return then.
inline bool can_run() {
  const std::string why = fft_ref().missing();
  if (!why.empty()) WARN("SKIP: fft.ref: " << why);
  return why.empty();
}

// A stream of random integers.
struct Dice {
  std::uint64_t seed, count = 0;
  std::int64_t operator()(std::int64_t least, std::int64_t most) { return random_integer(seed, count++, least, most); }
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>((*this)(0, static_cast<std::int64_t>(std::size(list)) - 1))];
  }
};

// Small, ragged and legal: every parameter differs from every other often enough.
inline ConvProblem random_problem(Dice& dice) {
  for (;;) {
    ConvSpec s;
    s.groups = dice(0, 2) == 0 ? dice(2, 3) : 1;
    const std::int64_t multiplier = dice(1, 3);
    s.ci = s.groups * dice(1, 3), s.co = s.groups * multiplier;
    s.n = dice(1, 3), s.hi = dice(1, 21), s.wi = dice(1, 21);
    s.hf = dice(1, 5), s.wf = dice(1, 5);
    s.stride_h = dice(1, 4), s.stride_w = dice(1, 4), s.dilation_h = dice(1, 3), s.dilation_w = dice(1, 3);
    s.pad_top = dice(0, 3), s.pad_bottom = dice(0, 3), s.pad_left = dice(0, 3), s.pad_right = dice(0, 3);
    s.bias = dice(0, 1) == 1;
    if (broken_rules(s).empty()) return ConvProblem(s);
  }
}

inline const std::vector<std::string>& option_texts() {
  static const std::vector<std::string> texts{"", "transform=tiled", "transform=tiled,tile=16",
                                              "transform=tiled,tile=8"};
  return texts;
}

inline Request request_of(const ConvProblem& problem, DType dtype = DType::f32, const std::string& options = "") {
  Request request{problem, dtype};
  request.options = OptionSet::parse(options, fft_ref().options);
  request.threads = 2;
  return request;
}

// The tensors of one run.
struct Tensors {
  Tensor x, w, bias, y;

  explicit Tensors(const Request& r)
      : x(r.dtype, r.layouts.x, r.problem.x_shape()),
        w(r.dtype, r.layouts.w, r.problem.w_shape()),
        bias(r.dtype, Layout::NCHW, {r.problem.bias() ? r.problem.co() : 0, 1, 1, 1}),
        y(r.dtype, r.layouts.y, r.problem.y_shape()) {}

  void fill_uniform(std::uint64_t seed) {
    fill(x.view(), [&](auto n, auto c, auto h, auto w_) { return random_uniform(seed, key(n, c, h, w_)); });
    fill(w.view(), [&](auto o, auto c, auto u, auto v) { return random_uniform(seed + 1, key(o, c, u, v)); });
    fill(bias.view(), [&](auto o, auto, auto, auto) { return random_uniform(seed + 2, key(o, 0, 0, 0)); });
  }
  Arguments arguments() {
    const TensorView b = bias.view();
    return {x.view(), w.view(), {b.shape[0] > 0 ? b.data : nullptr, b.dtype, b.shape[0], 1, {}}, y.view()};
  }

 private:
  static std::uint64_t key(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<std::uint64_t>(((a * 1009 + b) * 1009 + c) * 1009 + d);
  }
};

// Runs with y and workspace full of NaN (0xFF bytes) first.
inline void run_poisoned(const Plan& plan, Tensors& t) {
  if (t.y.bytes() > 0) std::memset(t.y.view().data, 0xff, static_cast<std::size_t>(t.y.bytes()));
  const HostBuffer memory(plan.workspace_bytes());
  if (memory.bytes() > 0) std::memset(memory.data(), 0xff, static_cast<std::size_t>(memory.bytes()));
  plan.run(t.arguments(), {memory.data(), static_cast<std::size_t>(memory.bytes())});
}

inline void run_poisoned(const Request& request, Tensors& t) { run_poisoned(*fft_ref().plan(request), t); }

// y in NCHW order.
inline std::vector<double> values(const Tensor& y) {
  std::vector<double> list;
  const auto [n, c, h, w] = y.shape();
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b < c; ++b)
      for (std::int64_t i = 0; i < h; ++i)
        for (std::int64_t j = 0; j < w; ++j) list.push_back(element(y.view(), a, b, i, j));
  return list;
}

// The direct sum in long double, in NCHW order, and Σ|x||w| + |bias|.
struct Answer {
  std::vector<double> y, sum_abs;
};
inline Answer answer(const ConvProblem& p, const Tensors& t) {
  Answer a;
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t row = 0; row < p.ho(); ++row)
        for (std::int64_t column = 0; column < p.wo(); ++column) {
          long double sum = p.bias() ? element(t.bias.view(), o, 0, 0, 0) : 0;
          long double sum_abs = std::fabs(sum);
          for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
            for (std::int64_t u = 0; u < p.hf(); ++u)
              for (std::int64_t v = 0; v < p.wf(); ++v) {
                const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
                if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) continue;
                const std::int64_t channel = p.group_of_output(o) * p.ci_per_group() + c;
                const long double pixel = element(t.x.view(), n, channel, h, w);
                const long double term = pixel * element(t.w.view(), o, c, u, v);
                sum += term;
                sum_abs += std::fabs(term);
              }
          a.y.push_back(static_cast<double>(sum));
          a.sum_abs.push_back(static_cast<double>(sum_abs));
        }
  return a;
}

// The largest error / allowance over all outputs, by the plan's own error model.
inline double error_ratio(const Plan& plan, const Tensors& t) {
  const ConvProblem& p = plan.problem();
  const Answer right = answer(p, t);
  const Tensor x = converted(t.x.view(), DType::f64, Layout::NCHW);
  const Tensor w = converted(t.w.view(), DType::f64, FilterLayout::OIHW);
  std::vector<double> bound(right.y.size());
  plan.error_model().worst_case({p, x.as<double>(), w.as<double>(), right.sum_abs}, bound);
  const DType dtype = plan.request().dtype;
  const std::vector<double> got = values(t.y);
  double worst = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double allowed = bound[k] + unit_roundoff(dtype) * std::fabs(right.y[k]) + smallest_subnormal(dtype) / 2;
    const double ratio = std::fabs(got[k] - right.y[k]) / allowed;
    worst = std::isnan(ratio) ? INFINITY : std::max(worst, ratio);
  }
  return worst;
}

}  // namespace fft_test
