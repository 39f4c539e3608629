// The first rung of the ladder: one thread an output, which reads its window and the filter where they are.
#pragma once

#include "im2win/strip.cuh"

__device__ __forceinline__ void one_output(const float* x, const float* w, const float* bias, float* y,
                                           const Sizes& s) {
  long long rest = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const auto digit = [&rest](int base) {
    const int value = rest % base;
    rest /= base;
    return value;
  };
  // In the order of y's memory.
  int n = 0, o = 0;
  if constexpr (y_layout == NHWC) o = digit(s.co);
  if constexpr (y_layout == CHWN) n = digit(s.n);
  const int q = digit(s.wo), p = digit(s.ho);
  if constexpr (y_layout != NHWC) o = digit(s.co);
  if constexpr (y_layout != CHWN) n = digit(s.n);
  if (rest > 0) return;

  const Source source = source_of(s);
  float sum = has_bias ? bias[o] : 0.0f;
  for (int c = 0; c < s.cig; ++c)
    for (int u = 0; u < s.hf; ++u)
      for (int v = 0; v < s.wf; ++v) {
        const int k = q * s.stride_w + v * s.dilation_w;  // the column of the im2win tensor
        const int h = p * s.stride_h + u * s.dilation_h - s.pad_top, column = k - s.pad_left;
        const bool inside = stored || (h >= 0 && h < s.hi && column >= 0 && column < s.wi);
        const int origin = stored ? 0 : -s.pad_top * s.x_h - s.pad_left * s.x_w;
        const int at = n * source.n + (o / s.cog * s.cig + c) * source.c + p * source.m + k * source.k + u * source.u;
        sum += (inside ? x[origin + at] : 0.0f) * w[o * s.w_o + c * s.w_c + u * s.w_h + v * s.w_w];
      }
  y[pixel_offset(s, n, p, q) + o * s.y_c] = sum;
}
