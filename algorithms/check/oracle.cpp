// The direct sum in float64, eight neighbouring outputs of a row at a time.
//
// x is copied once with its padding, as real zeros that are multiplied like any other value (0·Inf is NaN), and each
// row is stored phase by phase, so that outputs side by side read values side by side whatever the stride:
//
//   padded(n, c, h, φ, j) = x(n, c, h − p_top, j·s_w + φ − p_left),   0 ≤ φ < s_w
//   tap v of output q reads phase (v·d_w) mod s_w at j = q + ⌊v·d_w / s_w⌋
#include "algorithms/check/oracle.h"

#include <algorithm>
#include <cmath>

namespace convlens {

namespace {

constexpr int kLanes = 8;

// Fewer multiplications, or elements to copy, are done sooner by one thread.
constexpr std::int64_t kWorthThreads = std::int64_t{1} << 18;

struct PaddedInput {
  std::int64_t phases = 1, phase_length = 0, channel_length = 0;
  std::vector<double> values;

  PaddedInput(const ConvProblem& p, const ConstTensorView& x) {
    const std::int64_t stride = p.spec().stride_w, rows = p.padded_h();
    phases = std::min(stride, p.padded_w());  // the others would be empty
    phase_length = (p.padded_w() + stride - 1) / stride;
    channel_length = rows * phases * phase_length;
    // The last block of the last row reads a few values too many; what it makes of them is not stored.
    values.assign(static_cast<std::size_t>(p.n() * p.ci() * channel_length + kLanes), 0.0);

    visit(x.dtype, [&]<class T>() {
      const auto source = x.as<T>();
#pragma omp parallel for collapse(2) if (elements(x.shape) > kWorthThreads)
      for (std::int64_t n = 0; n < p.n(); ++n)
        for (std::int64_t c = 0; c < p.ci(); ++c)
          for (std::int64_t h = 0; h < p.hi(); ++h)
            for (std::int64_t w = 0; w < p.wi(); ++w) {
              const std::int64_t row = row_offset(n * p.ci() + c, h + p.spec().pad_top);
              const std::int64_t column = column_offset(w + p.spec().pad_left, stride);
              values[static_cast<std::size_t>(row + column)] = source(n, c, h, w);
            }
    });
  }

  std::int64_t row_offset(std::int64_t plane, std::int64_t row) const {
    return plane * channel_length + row * phases * phase_length;
  }
  std::int64_t column_offset(std::int64_t column, std::int64_t stride) const {
    return column % stride * phase_length + column / stride;
  }
};

// y and Σ|x||w| of eight outputs.
struct PlainSum {
  double y[kLanes], scale[kLanes];

  explicit PlainSum(double bias) {
    std::fill_n(y, kLanes, bias);
    std::fill_n(scale, kLanes, std::abs(bias));
  }
  void add(const double* x, double w) {
    double products[kLanes];
    for (int k = 0; k < kLanes; ++k) products[k] = x[k] * w;
    for (int k = 0; k < kLanes; ++k) y[k] += products[k];
    for (int k = 0; k < kLanes; ++k) scale[k] += std::abs(products[k]);
  }
  double result(int k) const { return y[k]; }
};

// The same, with the rounding error of every product and every sum computed exactly and added up beside it: Dot2 of
// Ogita, Rump & Oishi 2005. Splitting a number overflows beyond 2⁹⁹⁶.
struct CompensatedSum {
  double y[kLanes], error[kLanes] = {}, scale[kLanes];

  explicit CompensatedSum(double bias) {
    std::fill_n(y, kLanes, bias);
    std::fill_n(scale, kLanes, std::abs(bias));
  }

  // Veltkamp: the upper 26 bits of `a`; a − upper(a) is the rest, exactly.
  static double upper(double a) {
    const double scaled = (0x1p27 + 1) * a;
    return scaled - (scaled - a);
  }

  void add(const double* x, double w) {
    const double w_high = upper(w), w_low = w - w_high;
    for (int k = 0; k < kLanes; ++k) {
      const double product = x[k] * w;
      const double x_high = upper(x[k]), x_low = x[k] - x_high;
      const double product_error = x_low * w_low - (((product - x_high * w_high) - x_low * w_high) - x_high * w_low);
      const double sum = y[k] + product, part = sum - y[k];
      const double sum_error = (y[k] - (sum - part)) + (product - part);
      y[k] = sum;
      error[k] += product_error + sum_error;
      scale[k] += std::abs(product);
    }
  }
  // The errors of a sum that is NaN or Inf mean nothing.
  double result(int k) const { return std::isfinite(y[k]) ? y[k] + error[k] : y[k]; }
};

template <class Sum>
Answer sum_up(const ConvProblem& p, const Inputs& inputs) {
  const PaddedInput x(p, inputs.x.view());
  const Tensor w = converted(inputs.w.view(), DType::f64, FilterLayout::OIHW);
  const Tensor bias = converted(inputs.bias.view(), DType::f64, Layout::NCHW);
  const double* const weights = w.as<double>().data;
  const Bias<double> biases{bias.as<double>().data, 1};

  std::vector<std::int64_t> tap_offset;  // of the columns of a window, from the first output's
  for (std::int64_t v = 0; v < p.wf(); ++v)
    tap_offset.push_back(x.column_offset(v * p.spec().dilation_w, p.spec().stride_w));

  const auto outputs = static_cast<std::size_t>(elements(p.y_shape()));
  Answer answer{std::vector<double>(outputs), std::vector<double>(outputs)};
  // Output channels are innermost: one window of x, a few columns wide, stays in cache for all of them.
#pragma omp parallel for collapse(3) if (p.multiplications() > kWorthThreads)
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t row = 0; row < p.ho(); ++row)
      for (std::int64_t block = 0; block < p.wo(); block += kLanes)
        for (std::int64_t o = 0; o < p.co(); ++o) {
          Sum sum(biases[o]);
          const double* weight = weights + o * p.reduction();
          for (std::int64_t c = 0; c < p.ci_per_group(); ++c) {
            const std::int64_t plane = n * p.ci() + p.group_of_output(o) * p.ci_per_group() + c;
            for (std::int64_t u = 0; u < p.hf(); ++u) {
              const std::int64_t input_row = p.input_row(row, u) + p.spec().pad_top;
              const double* const values = x.values.data() + x.row_offset(plane, input_row) + block;
              for (std::int64_t offset : tap_offset) sum.add(values + offset, *weight++);
            }
          }
          const std::int64_t first = ((n * p.co() + o) * p.ho() + row) * p.wo() + block;
          const int lanes = static_cast<int>(std::min<std::int64_t>(kLanes, p.wo() - block));
          for (int k = 0; k < lanes; ++k) {
            answer.y[static_cast<std::size_t>(first + k)] = sum.result(k);
            answer.sum_abs[static_cast<std::size_t>(first + k)] = sum.scale[k];
          }
        }
  return answer;
}

}  // namespace

Answer oracle(const ConvProblem& problem, const Inputs& inputs) {
  return inputs.x.dtype() == DType::f64 ? sum_up<CompensatedSum>(problem, inputs) : sum_up<PlainSum>(problem, inputs);
}

}  // namespace convlens
