// The windows of a picture in NHWC, read where they are: pointers into the picture, with nothing stored but borders.
//
// In NHWC the channels of a pixel are contiguous, and without dilation so are the W_f pixels under a row of the filter:
// a window is H_f runs of W_f·C_i values, long ones even for C_i = 3. Rows above and below the picture point to zeros;
// of the few windows that overlap the padding at its sides, runs are copied, with zeros, into a border buffer. With
// dilation or groups a run is one tap's channels, and padding is a run of zeros.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/simd/block_loop.h"

namespace convlens::simd {

struct WindowsInPlace {
  // Tap by tap: where it is in the filter, and the outputs first … end − 1 whose column is in the picture.
  struct Tap {
    std::int64_t u = 0, v = 0, first = 0, end = 0;
  };

  const ConvProblem& problem;
  View<const float> x;
  const float* zeros;  // as many as zeros_length()
  float* border;       // [threads][rows of a block][border columns][H_f][run]
  std::int64_t border_rows;
  std::int64_t first_inner = left(problem), end_inner = right(problem);
  bool whole = whole_rows(problem);
  std::vector<Tap> taps = find_taps(problem);

  static bool whole_rows(const ConvProblem& p) { return p.groups() == 1 && p.spec().dilation_w == 1; }
  static std::int64_t run(const ConvProblem& p) { return p.ci_per_group() * (whole_rows(p) ? p.wf() : 1); }
  static std::int64_t zeros_length(const ConvProblem& p) { return std::max(run(p), p.ci()); }
  static std::int64_t border_length(const ConvProblem& p, int threads, std::int64_t rows) {
    return threads * rows * border_columns(p) * p.hf() * run(p);
  }

  // Output columns 0 … left − 1 and right … W_o − 1 overlap the padding at the sides.
  static std::int64_t left(const ConvProblem& p) {
    const std::int64_t s = p.spec().stride_w;
    return whole_rows(p) ? std::min(p.wo(), (p.spec().pad_left + s - 1) / s) : 0;
  }
  static std::int64_t right(const ConvProblem& p) {
    if (!whole_rows(p)) return p.wo();
    std::int64_t q = p.wo();
    while (q > left(p) && p.input_column(q - 1, p.wf() - 1) >= p.wi()) --q;
    return q;
  }
  static std::int64_t border_columns(const ConvProblem& p) { return left(p) + p.wo() - right(p); }

  std::int64_t segments() const { return problem.hf() * (whole_rows(problem) ? 1 : problem.wf()); }
  std::int64_t length() const { return run(problem); }

  float* border_run(std::int64_t row, std::int64_t q, std::int64_t u, int thread) const {
    const std::int64_t columns = border_columns(problem);
    const std::int64_t column = q < first_inner ? q : first_inner + q - end_inner;
    return border + (((thread * border_rows + row) * columns + column) * problem.hf() + u) * run(problem);
  }

  void prepare(const Block& block, std::int64_t, int thread) const {
    if (border_columns(problem) == 0) return;
    std::int64_t row = 0;
    for (std::int64_t n = block.first_n; n < block.first_n + block.images; ++n)
      for (std::int64_t p = block.first_p; p < block.first_p + block.rows; ++p, ++row)
        for (std::int64_t u = 0; u < problem.hf(); ++u) {
          for (std::int64_t q = 0; q < first_inner; ++q)
            copy_run(n, problem.input_row(p, u), q, border_run(row, q, u, thread));
          for (std::int64_t q = end_inner; q < problem.wo(); ++q)
            copy_run(n, problem.input_row(p, u), q, border_run(row, q, u, thread));
        }
  }

  void copy_run(std::int64_t n, std::int64_t h, std::int64_t q, float* to) const {
    for (std::int64_t v = 0; v < problem.wf(); ++v)
      for (std::int64_t c = 0; c < problem.ci(); ++c) *to++ = x.padded(n, c, h, problem.input_column(q, v));
  }

  void rows(const Block& block, std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count, std::int64_t g,
            std::int64_t s, int thread, const float** out) const {
    if (!whole) return tap_rows(n, p, q, count, g, taps[static_cast<std::size_t>(s)], out);
    const std::int64_t inner = std::clamp(first_inner - q, std::int64_t{0}, count);
    const std::int64_t end = std::clamp(end_inner - q, inner, count);
    const std::int64_t row = (n - block.first_n) * block.rows + p - block.first_p;
    for (std::int64_t i = 0; i < inner; ++i) out[i] = border_run(row, q + i, s, thread);
    steps(n, 0, problem.input_row(p, s), problem.input_column(q + inner, 0), inner, end, out);
    for (std::int64_t i = end; i < count; ++i) out[i] = border_run(row, q + i, s, thread);
  }

  static std::vector<Tap> find_taps(const ConvProblem& p) {
    std::vector<Tap> taps;
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v) {
        Tap tap{u, v, 0, p.wo()};
        while (tap.first < tap.end && p.input_column(tap.first, v) < 0) ++tap.first;
        while (tap.end > tap.first && p.input_column(tap.end - 1, v) >= p.wi()) --tap.end;
        taps.push_back(tap);
      }
    return taps;
  }

  // One tap for the outputs q … q + count − 1.
  void tap_rows(std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count, std::int64_t g, const Tap& tap,
                const float** out) const {
    const std::int64_t first = std::clamp<std::int64_t>(tap.first - q, 0, count);
    const std::int64_t end = std::clamp<std::int64_t>(tap.end - q, first, count);
    for (std::int64_t i = 0; i < first; ++i) out[i] = zeros;
    steps(n, g * problem.ci_per_group(), problem.input_row(p, tap.u), problem.input_column(q + first, tap.v), first,
          end, out);
    for (std::int64_t i = end; i < count; ++i) out[i] = zeros;
  }

  // Runs first … end − 1, which lie within the picture's columns; only their row may be padding.
  void steps(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t column, std::int64_t first, std::int64_t end,
             const float** out) const {
    const bool inside = first < end && h >= 0 && h < problem.hi();
    const float* at = inside ? &x(n, c, h, column) : zeros;
    const std::int64_t step = inside ? problem.spec().stride_w * x.strides[3] : 0;
    for (std::int64_t i = first; i < end; ++i, at += step) out[i] = at;
  }
};

}  // namespace convlens::simd
