// From a tile of sums in shared memory, of common/mma_tile.cuh, to y.
#pragma once

#include "common/mma_tile.cuh"

// Rows of a staged tile are pixels of y, columns its channels first_o …; adds the bias, rounds, and writes what there
// is. `offset(row)` is where the pixel's channel 0 lies in y, or −1 where there is no such pixel. Neighbouring threads
// write neighbours: channels in NHWC, by eights where vector_io and C_o/groups is a multiple of 8, and pixels
// otherwise.
template <class Offset>
__device__ __forceinline__ void store_pixels(const float* staged, const Element* bias, Element* y, const Sizes& s,
                                             int first_o, int end_o, Offset offset) {
  constexpr int width = y_layout == NHWC && vector_io ? vector : 1;
  for (int e = threadIdx.x * width; e < tile_m * tile_n; e += threads * width) {
    const int row = y_layout == NHWC ? e / tile_n : e % tile_m, column = y_layout == NHWC ? e % tile_n : e / tile_m;
    const int o = first_o + column, at = offset(row);
    if (at < 0 || o >= end_o) continue;
    alignas(16) Element values[width];
#pragma unroll
    for (int v = 0; v < width; ++v)
      values[v] = rounded(staged[row * staged_pitch + column + v] + (has_bias ? to_float(bias[o + v]) : 0.0f));
    if constexpr (width == vector)
      *reinterpret_cast<uint4*>(y + at + o) = *reinterpret_cast<const uint4*>(values);
    else
      y[at + o * s.y_c] = values[0];
  }
}
