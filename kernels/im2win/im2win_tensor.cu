// The im2win tensor for tensor cores, stored: a block `span` columns of a row, a thread eight elements at a time.
//
//   Î(n, g, m, k, u·C + c) = x(n, g·C + c, m·s_h + u·d_h − p_top, k − p_left),   0 outside the image,   C = C_i/groups
//
//   a row (n, g, m):   │ column 0        │ column 1        │ …    column k holds the H_f·C elements of x that row m's
//                      │ u c ········· 0 │ u c ········· 0 │      windows read at k, and zeros behind them
//                      └─ window of j = 0, stride 1 ─┘
//                                        └─ window of j = 1 ─┘
//
// Channels are the fastest axis, and each group has rows of its own: the window of output j is then one contiguous run
// that begins at column j·s_w. The zeros at a column's end make every window begin at a multiple of 16 bytes.
//
// Where x has eight channels of a pixel together, they are copied as they are (`vector_x`). Where channels lie apart,
// the H_f rows of x come to shared memory first, in the order of x (`staged`), so that neighbouring threads read
// neighbours. A few channels side by side are left to the L1 cache, which is faster than that detour
// (kernels/PERFORMANCE.md).
//
// Source: Fu, Ma, Zhang, Zhao, Lu & Liu, 2026, arXiv 2608.20725.
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256, span = 56;
constexpr bool vector_x = true, staged = false;
#endif

constexpr int eight = 8;  // elements in 16 bytes

extern "C" __global__ void __launch_bounds__(threads)
    im2win_tensor(const Element* __restrict__ x, Element* __restrict__ windows, const Sizes s) {
  extern __shared__ Element rows[];  // (u, k, c): (H_f, span, C)
  const int spans = (s.columns + span - 1) / span, first_k = blockIdx.x % spans * span;
  const int row = blockIdx.x / spans, m = row % s.ho, g = row / s.ho % s.groups, n = row / s.ho / s.groups;

  const int width = (s.wo - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;  // W̃

  // The element of x where it is, or null where there is none.
  const auto element = [&](int u, int k, int c) -> const Element* {
    const int h = m * s.stride_h + u * s.dilation_h - s.pad_top, w = k - s.pad_left;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi && k < width;
    return inside ? x + n * s.x_n + (g * s.cig + c) * s.x_c + h * s.x_h + w * s.x_w : nullptr;
  };
  const auto value = [&](int u, int k, int c) {
    const Element* const from = element(u, k, c);
    return from != nullptr ? *from : rounded(0);
  };
  if constexpr (staged) {
    for (int i = threadIdx.x; i < s.hf * span * s.cig; i += threads) {
      const int u = i / (span * s.cig), rest = i % (span * s.cig);
      const int k = rest % span, c = rest / span;
      rows[(u * span + k) * s.cig + c] = value(u, first_k + k, c);
    }
    __syncthreads();
  }

  const int eighths = min(span, s.columns - first_k) * s.column / eight;
  const long long first = (row * static_cast<long long>(s.columns) + first_k) * s.column / eight;
  for (int i = threadIdx.x; i < eighths; i += threads) {
    int k = i * eight / s.column, r = i * eight % s.column;
    union {
      uint4 vector;
      Element of[eight];
    } eighth{};
    if constexpr (vector_x) {
      const Element* const from = element(r / s.cig, first_k + k, r % s.cig);
      if (from != nullptr) eighth.vector = *reinterpret_cast<const uint4*>(from);
    } else {
#pragma unroll
      for (int j = 0; j < eight; ++j) {
        const int u = r / s.cig, c = r % s.cig;
        if (u < s.hf) eighth.of[j] = staged ? rows[(u * span + k) * s.cig + c] : value(u, first_k + k, c);
        if (++r == s.column) r = 0, ++k;
      }
    }
    reinterpret_cast<uint4*>(windows)[first + i] = eighth.vector;
  }
}
