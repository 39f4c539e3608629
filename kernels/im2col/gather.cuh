// Columns of im2col's matrix, gathered by threads: for any layout, channel count, stride, padding, dilation and groups.
//
//   A(k, pixel) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)        k = (u, v, c)
//
// A thread keeps one pixel of a tile, and fetches pieces of eight values of k: one 16-byte load where eight channels
// lie together, or eight loads. Lanes of a warp hold neighbouring pixels and fetch the same k, so that loads of a warp
// fall into few lines of the cache, and each writes another bank of the swizzled rows. What doesn't exist is zero.
#pragma once

#include "common/element.cuh"

// Where a pixel's window begins: in x, its first channel of the group, and in its image.
struct Window {
  const unsigned short* first;  // perhaps in the padding
  int row, column;
};

// Pixels behind the last repeat it; their sums aren't stored.
__device__ __forceinline__ Window window_of(const Element* x, const Sizes& s, int group, int pixel) {
  const int last = s.n * s.ho * s.wo - 1, index = min(pixel, last);
  const int n = index / (s.ho * s.wo), p = index / s.wo % s.ho, q = index % s.wo;
  const int row = p * s.stride_h - s.pad_top, column = q * s.stride_w - s.pad_left;
  const int offset = n * s.x_n + group * s.cig * s.x_c + row * s.x_h + column * s.x_w;
  return {reinterpret_cast<const unsigned short*>(x) + offset, row, column};
}

// One tap: how far into the filter, how far into x.
struct Tap {
  int u, v, down, right;

  __device__ __forceinline__ Tap(const Sizes& s, int index)
      : u(index / s.wf), v(index % s.wf), down(u * s.dilation_h), right(v * s.dilation_w) {}
  __device__ __forceinline__ int offset(const Sizes& s) const { return down * s.x_h + right * s.x_w; }
  __device__ __forceinline__ bool inside(const Sizes& s, const Window& window) const {
    if (u >= s.hf) return false;
    return !padded || (static_cast<unsigned>(window.row + down) < static_cast<unsigned>(s.hi) &&
                       static_cast<unsigned>(window.column + right) < static_cast<unsigned>(s.wi));
  }
};

// Values k … k + 7 of the window. Where the compiler knows k and the layer's sizes, no index is left to compute: taps
// are offsets in the load instructions.
__device__ __forceinline__ uint4 gather(const Sizes& s, const Window& window, int k) {
  if constexpr (vector_gather) {  // x is NHWC and C_i/groups a multiple of 8
    const Tap tap(s, k / s.cig);
    const uint4 none = {0, 0, 0, 0};
    const auto* const from = reinterpret_cast<const uint4*>(window.first + tap.offset(s) + k % s.cig);
    return tap.inside(s, window) ? __ldg(from) : none;
  } else {
    unsigned values[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const Tap tap(s, (k + e) / s.cig);
      values[e] = tap.inside(s, window) ? __ldg(window.first + tap.offset(s) + (k + e) % s.cig * s.x_c) : 0;
    }
    return {values[0] | values[1] << 16, values[2] | values[3] << 16, values[4] | values[5] << 16,
            values[6] | values[7] << 16};
  }
}

// Where channel 0 of a pixel lies in y, or −1 where there is no such pixel.
__device__ __forceinline__ int offset_in_y(const Sizes& s, int pixel) {
  if (pixel >= s.n * s.ho * s.wo) return -1;
  if constexpr (y_layout == NHWC) return pixel * s.y_w;
  return pixel / (s.ho * s.wo) * s.y_n + pixel / s.wo % s.ho * s.y_h + pixel % s.wo * s.y_w;
}
