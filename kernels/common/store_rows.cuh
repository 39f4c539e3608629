// From a warpgroup's sums to y: bias, the one rounding, a detour through shared memory, and whole pieces of y's rows.
//
//   sums of 64×N (wgmma.cuh)  ──stmatrix──→  N pixels × 64 channels, swizzled rows of 128 bytes  ──→  y
//
// A thread's sums are scattered over the tile: stored from where they are they would fill a quarter of each 32-byte
// sector that they touch. stmatrix writes 8×8 numbers of a warp as eight 16-byte pieces, and transposes them where rows
// of the product are output channels.
#pragma once

#include "common/tma.cuh"
#include "common/wgmma.cuh"

__device__ __forceinline__ unsigned pair_of(float low, float high) {
  const Element pair[2] = {rounded(low), rounded(high)};
  return *reinterpret_cast<const unsigned*>(pair);
}

// Rows of `sums` are 64 output channels, columns are `n` pixels. `bias` are those of the thread's channels, t/4 and
// t/4 + 8 of its warp's 16.
template <int n>
__device__ __forceinline__ void stage_channels_by_pixels(const float (&sums)[n / 2], const float (&bias)[2],
                                                         unsigned staging) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int piece = 2 * warp + (lane >> 3 & 1), row_of_16 = lane % 8 + (lane >> 4) * 8;
#pragma unroll
  for (int j = 0; j < n / 16; ++j) {
    const float* const d = &sums[8 * j];
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     staging + swizzled(16 * j + row_of_16, piece)),
                 "r"(pair_of(d[0] + bias[0], d[1] + bias[0])), "r"(pair_of(d[2] + bias[1], d[3] + bias[1])),
                 "r"(pair_of(d[4] + bias[0], d[5] + bias[0])), "r"(pair_of(d[6] + bias[1], d[7] + bias[1]))
                 : "memory");
  }
}

// Rows of `sums` are 64 pixels, columns are `n` output channels: channels first … first + 63 of the warp's 16 pixels.
// `bias` is of channel 0, and column 0 is the channel `first_o`.
template <int n>
__device__ __forceinline__ void stage_pixels_by_channels(const float (&sums)[n / 2], int first, const Element* bias,
                                                         int first_o, int end_o, unsigned staging) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < row_elements / 16; ++j) {
    if (first + 16 * j >= n) break;
    float d[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      d[i] = sums[(first + 16 * j) / 2 + i];
      if constexpr (has_bias)
        if (const int o = first_o + first + 16 * j + i / 4 * 8 + lane % 4 * 2 + i % 2; o < end_o)
          d[i] += to_float(bias[o]);
    }
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     staging + swizzled(lane % 16, 2 * j + lane / 16)),
                 "r"(pair_of(d[0], d[1])), "r"(pair_of(d[2], d[3])), "r"(pair_of(d[4], d[5])), "r"(pair_of(d[6], d[7]))
                 : "memory");
  }
}

// Stores `rows` staged pixels × channels first_o … end_o − 1 (at most 64) by the `threads` threads that call it.
// `offset(row)` is where the pixel's channel 0 lies in y, or −1 where there is no such pixel.
template <int rows, int threads, class Offset>
__device__ __forceinline__ void store_rows(Element* y, const unsigned char* staging, int thread, int first_o, int end_o,
                                           const Sizes& s, Offset offset) {
  if constexpr (y_layout == NHWC && vector_io) {  // C_o/groups is a multiple of 8
    constexpr int pieces = row_bytes / 16;
    for (int i = thread; i < rows * pieces; i += threads) {
      const int row = i / pieces, piece = i % pieces, o = first_o + 8 * piece, at = offset(row);
      if (at >= 0 && o < end_o)
        *reinterpret_cast<uint4*>(y + at + o) = *reinterpret_cast<const uint4*>(staging + swizzled(row, piece));
    }
  } else {  // neighbouring threads store neighbours of y
    for (int i = thread; i < rows * row_elements; i += threads) {
      const int row = y_layout == NHWC ? i / row_elements : i % rows;
      const int channel = y_layout == NHWC ? i % row_elements : i / rows;
      const int o = first_o + channel, at = offset(row);
      if (at >= 0 && o < end_o)
        y[at + o * s.y_c] =
            *reinterpret_cast<const Element*>(staging + swizzled(row, channel / 8) + channel % 8 * sizeof(Element));
    }
  }
}
