// The im2win tensor for tensor cores, stored: one thread eight elements of a column, in the order of memory.
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
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
constexpr bool vector_x = true;
#endif

constexpr int eight = 8;  // elements in 16 bytes

extern "C" __global__ void __launch_bounds__(threads)
    im2win_tensor(const Element* __restrict__ x, Element* __restrict__ windows, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const int in_row = s.columns * s.column / eight;
  int rest = static_cast<int>(index / in_row);
  if (rest >= s.n * s.groups * s.ho) return;
  const int m = rest % s.ho, g = rest / s.ho % s.groups, n = rest / s.ho / s.groups;
  const int first = static_cast<int>(index % in_row) * eight;
  int k = first / s.column, r = first % s.column;

  // The element of x where it is, or null where there is none.
  const auto element = [&](int u, int c) -> const Element* {
    const int h = m * s.stride_h + u * s.dilation_h - s.pad_top, w = k - s.pad_left;
    const bool inside = u < s.hf && h >= 0 && h < s.hi && w >= 0 && w < s.wi;
    return inside ? x + n * s.x_n + (g * s.cig + c) * s.x_c + h * s.x_h + w * s.x_w : nullptr;
  };
  union {
    uint4 vector;
    Element of[eight];
  } eighth{};
  if constexpr (vector_x) {
    const Element* const from = element(r / s.cig, r % s.cig);
    if (from != nullptr) eighth.vector = *reinterpret_cast<const uint4*>(from);
  } else {
#pragma unroll
    for (int i = 0; i < eight; ++i) {
      const Element* const from = element(r / s.cig, r % s.cig);
      eighth.of[i] = from != nullptr ? *from : rounded(0);
      if (++r == s.column) r = 0, ++k;
    }
  }
  reinterpret_cast<uint4*>(windows)[index] = eighth.vector;
}
