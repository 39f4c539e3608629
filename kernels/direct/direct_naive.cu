// Direct convolution, one thread an output: the formula, and nothing else.
//
//   y(n, o, p, q) = bias(o) + Σ_{c, u, v} x(n, c_0 + c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u, v)
//
// with c_0 = ⌊o / (C_o/G)⌋ · C_i/G, the first channel of o's group.
//
//      x(n), C_i/G channels          w(o)             y(n, o)
//     ┌───────────────────┐        ┌───────┐        ┌───────────┐
//     │   ┌───────┐       │        │ · · · │        │           │
//     │   │ · · · │       │   ·    │ · · · │   ──→  │   □       │   a thread its window, from global memory: x is read
//     │   │ · · · │       │        └───────┘        │           │   C_o/G·H_f·W_f/(s_h·s_w) times, and the caches are
//     │   └───────┘       │        H_f × W_f        └───────────┘   all that spares it
//     └───────────────────┘
//
// A block of `threads` threads computes as many neighbouring outputs in the order of y's memory.
//
// Source: the definition.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    direct_naive(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                 float* __restrict__ y, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  if (index >= static_cast<long long>(s.n) * s.co * s.ho * s.wo) return;
  int n, o, p, q;
  if constexpr (y_layout == NCHW) {
    q = index % s.wo, p = index / s.wo % s.ho, o = index / s.wo / s.ho % s.co, n = index / s.wo / s.ho / s.co;
  } else if constexpr (y_layout == NHWC) {
    o = index % s.co, q = index / s.co % s.wo, p = index / s.co / s.wo % s.ho, n = index / s.co / s.wo / s.ho;
  } else {
    n = index % s.n, q = index / s.n % s.wo, p = index / s.n / s.wo % s.ho, o = index / s.n / s.wo / s.ho;
  }

  const int first_channel = o / s.cog * s.cig;
  float sum = has_bias ? bias[o] : 0.0f;
  for (int u = 0; u < s.hf; ++u)
    for (int v = 0; v < s.wf; ++v) {
      const int h = p * s.stride_h + u * s.dilation_h - s.pad_top;
      const int k = q * s.stride_w + v * s.dilation_w - s.pad_left;
      const bool inside = h >= 0 && h < s.hi && k >= 0 && k < s.wi;
      const float* const pixel = x + n * static_cast<long long>(s.x_n) + first_channel * static_cast<long long>(s.x_c) +
                                 h * static_cast<long long>(s.x_h) + k * static_cast<long long>(s.x_w);
      const float* const tap = w + o * static_cast<long long>(s.w_o) + u * s.w_h + v * s.w_w;
      // The padding's zeros are multiplied like any other element: 0·Inf is NaN.
      for (int c = 0; c < s.cig; ++c)
        sum += (inside ? pixel[c * static_cast<long long>(s.x_c)] : 0.0f) * tap[c * static_cast<long long>(s.w_c)];
    }
  y[n * static_cast<long long>(s.y_n) + o * static_cast<long long>(s.y_c) + p * static_cast<long long>(s.y_h) +
    q * static_cast<long long>(s.y_w)] = sum;
}
