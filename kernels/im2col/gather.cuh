// Columns of im2col's matrix, gathered by threads: for any layout, channel count, stride, padding, dilation and groups.
//
//   A(k, pixel) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)        k = (u, v, c)
//
// A thread keeps one pixel of a tile, and fetches pieces of eight values of k: one 16-byte load where eight channels
// lie together, or eight loads. Lanes of a warp hold neighbouring pixels and fetch the same k, so that loads of a warp
// fall into few lines of the cache, and each writes another bank of the swizzled rows. What doesn't exist is zero.
#pragma once

#include "common/tma.cuh"

// Where a pixel's window begins: in x, and in its image.
struct Window {
  const unsigned short* first;  // x(n, first channel of the group, …), the row and the column left out
  int row, column;
};

// Pixels behind the last repeat it; their sums aren't stored.
__device__ __forceinline__ Window window_of(const Element* x, const Sizes& s, int group, int pixel) {
  const int last = s.n * s.ho * s.wo - 1, index = min(pixel, last);
  const int n = index / (s.ho * s.wo), p = index / s.wo % s.ho, q = index % s.wo;
  return {reinterpret_cast<const unsigned short*>(x) + n * s.x_n + group * s.cig * s.x_c, p * s.stride_h - s.pad_top,
          q * s.stride_w - s.pad_left};
}

__device__ __forceinline__ bool inside(const Sizes& s, int row, int column) {
  return !padded || (static_cast<unsigned>(row) < static_cast<unsigned>(s.hi) &&
                     static_cast<unsigned>(column) < static_cast<unsigned>(s.wi));
}

// Values k … k + 7 of the window; `k` is the same for all threads of a warp.
__device__ __forceinline__ uint4 gather(const Sizes& s, const Window& window, int k) {
  int c = k % s.cig, v = k / s.cig % s.wf, u = k / s.cig / s.wf;
  const auto exists = [&](int row, int column) { return u < s.hf && inside(s, row, column); };
  if constexpr (vector_gather) {  // x is NHWC and C_i/groups a multiple of 8
    const int row = window.row + u * s.dilation_h, column = window.column + v * s.dilation_w;
    const uint4 none = {0, 0, 0, 0};
    const unsigned short* const from = window.first + row * s.x_h + column * s.x_w + c;
    return exists(row, column) ? __ldg(reinterpret_cast<const uint4*>(from)) : none;
  } else {
    unsigned values[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int row = window.row + u * s.dilation_h, column = window.column + v * s.dilation_w;
      const unsigned short* const from = window.first + row * s.x_h + column * s.x_w + c * s.x_c;
      values[e] = exists(row, column) ? __ldg(from) : 0;
      if (++c == s.cig) c = 0, ++v;
      if (v == s.wf) v = 0, ++u;
    }
    return {values[0] | values[1] << 16, values[2] | values[3] << 16, values[4] | values[5] << 16,
            values[6] | values[7] << 16};
  }
}
