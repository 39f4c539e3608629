// The im2win tensor, stored: one thread a cell, in the order of memory.
//
//   Î(n, c, m, k, u) = x(n, c, m·s_h + u·d_h − p_top, k − p_left),   0 outside the image,   0 ≤ k < W̃
//
//   x, one channel, rows under output row m           Î(n, c, m)
//       k  0   1   2   3   4  …                         k = 0   k = 1   k = 2   k = 3
//   u=0  │ a │ b │ c │ d │ e │                        │ a f k │ b g l │ c h m │ d i n │ …    one copy of a column, its
//   u=1  │ f │ g │ h │ i │ j │             ──▶        └─ window of j = 0 ─────┘                H_f rows side by side
//   u=2  │ k │ l │ m │ n │ o │                                └─ window of j = 1 ─────┘
//
// The window of output j begins at k = j·s_w, and without dilation its taps (v, u) follow each other. The channel is
// where x has it: (n, c, m, k, u) for NCHW, (n, m, k, u, c) for NHWC, (c, m, k, u, n) for CHWN.
//
// Source: Lu, Chu & Liu, Euro-Par 2023, arXiv 2306.14316.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    im2win_transform(const float* __restrict__ x, float* __restrict__ windows, const Sizes s) {
  const unsigned index = blockIdx.x * static_cast<unsigned>(threads) + threadIdx.x;
  unsigned rest = index;
  const auto digit = [&rest](int base) {
    const int value = rest % base;
    rest /= base;
    return value;
  };
  const int width = (s.wo - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;  // W̃
  int n = 0, c = 0;
  if constexpr (x_layout == NHWC) c = digit(s.ci);
  if constexpr (x_layout == CHWN) n = digit(s.n);
  const int u = digit(s.hf), k = digit(width), m = digit(s.ho);
  if constexpr (x_layout == NCHW) c = digit(s.ci);
  if constexpr (x_layout != CHWN) n = digit(s.n);
  if constexpr (x_layout == CHWN) c = digit(s.ci);
  if (rest > 0) return;
  const int h = m * s.stride_h + u * s.dilation_h - s.pad_top, column = k - s.pad_left;
  const bool inside = h >= 0 && h < s.hi && column >= 0 && column < s.wi;
  windows[index] = inside ? x[n * s.x_n + c * s.x_c + h * s.x_h + column * s.x_w] : 0.0f;
}
