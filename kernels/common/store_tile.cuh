// From registers to y: a thread writes its units of pixels for each of its output channels.
#pragma once

#include "common/register_tile.cuh"

// Where a unit's four pixels are in y, at output channel 0, and how many of them, from the first, there are.
struct Unit {
  int at[4], count;
};

__device__ __forceinline__ int pixel_offset(const Sizes& s, int n, int p, int q) {
  return n * s.y_n + p * s.y_h + q * s.y_w;
}

// Four values that lie together in y in runs of `length`, all of which begin at multiples of it: the widest stores that
// are aligned for every run.
__device__ __forceinline__ void store_four(float* y, const int (&at)[4], const float (&values)[4], int count,
                                           int length) {
  if (vector_io && length % 4 == 0) {
    *reinterpret_cast<float4*>(y + at[0]) = {values[0], values[1], values[2], values[3]};
  } else if (vector_io && length % 2 == 0) {
    *reinterpret_cast<float2*>(y + at[0]) = {values[0], values[1]};
    if (count > 2) *reinterpret_cast<float2*>(y + at[2]) = {values[2], values[3]};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i < count) y[at[i]] = values[i];
  }
}

// The sums begin at the bias. `first` is the tile's first output channel, `end` the end of its group.
__device__ __forceinline__ void start_sums(Sums& sums, const float* bias, const ThreadPlace& place, int first,
                                           int end) {
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    const int o = first + 4 * (place.quad + i / 4 * threads_m) + i % 4;
    const float start = has_bias && o < end ? bias[o] : 0.0f;
#pragma unroll
    for (int j = 0; j < thread_n; ++j) sums[i][j] = start;
  }
}

// Straight from registers: four pixels, or in NHWC four channels, by one thread. `run` as in `store_four`.
template <class UnitOf>
__device__ __forceinline__ void store_units(float* y, const Sums& sums, const ThreadPlace& place, int first, int end,
                                            const Sizes& s, int run, UnitOf unit_of) {
#pragma unroll
  for (int k = 0; k < thread_units; ++k) {
    const Unit unit = unit_of(place.unit + k * threads_n);
    if (unit.count <= 0) continue;
#pragma unroll
    for (int quad = 0; quad < thread_quads; ++quad) {
      const int o = first + 4 * (place.quad + quad * threads_m);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (y_layout == NHWC) {
          const int at[4] = {0, 1, 2, 3};
          const float values[4] = {sums[4 * quad][4 * k + i], sums[4 * quad + 1][4 * k + i],
                                   sums[4 * quad + 2][4 * k + i], sums[4 * quad + 3][4 * k + i]};
          if (i < unit.count && o < end) store_four(y + unit.at[i] + o, at, values, end - o, s.cog);
        } else if (o + i < end) {
          const float(&row)[thread_n] = sums[4 * quad + i];
          const float values[4] = {row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]};
          store_four(y + (o + i) * s.y_c, unit.at, values, unit.count, run);
        }
      }
    }
  }
}

// By way of shared memory, threads_m channels at a time, so that neighbouring threads write neighbouring pixels of a
// row of y, whatever its length: `pixel_slot(unit, i)` numbers the tile's pixels in that order.
template <class UnitOf, class PixelSlot>
__device__ __forceinline__ void store_rows(float* y, const Sums& sums, const ThreadPlace& place, int first, int end,
                                           const Sizes& s, float* shared, UnitOf unit_of, PixelSlot pixel_slot) {
  int* const places = reinterpret_cast<int*>(shared);  // [tile_n], where each pixel is in y
  constexpr int row_pitch = tile_n + 8;                // quads that a warp writes together are in different banks
  float* const rows = shared + tile_n;                 // [threads_m][row_pitch]
  __syncthreads();                                     // all have read their last operands
  for (int i = threadIdx.x; i < units; i += threads) {
    const Unit unit = unit_of(i);
#pragma unroll
    for (int k = 0; k < 4; ++k) places[pixel_slot(i, k)] = k < unit.count ? unit.at[k] : -1;
  }
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    if (i > 0) __syncthreads();
#pragma unroll
    for (int j = 0; j < thread_n; ++j)
      rows[place.quad * row_pitch + pixel_slot(place.unit + j / 4 * threads_n, j % 4)] = sums[i][j];
    __syncthreads();
    for (int k = threadIdx.x; k < threads_m * tile_n; k += threads) {
      const int quad = k / tile_n, slot = k % tile_n, at = places[slot];
      const int o = first + 4 * (quad + i / 4 * threads_m) + i % 4;
      if (o < end && at >= 0) y[o * s.y_c + at] = rows[quad * row_pitch + slot];
    }
  }
}

// `unit_of(i)` is the tile's unit i. Its pixels lie together in y, in runs of `run` pixels, where `together`; `shared`
// is memory that the multiplication no longer needs.
template <bool together, class UnitOf, class PixelSlot>
__device__ __forceinline__ void store_tile(float* y, const Sums& sums, const ThreadPlace& place, int first, int end,
                                           const Sizes& s, int run, float* shared, UnitOf unit_of,
                                           PixelSlot pixel_slot) {
  if (y_layout != NCHW || (together && vector_io && run % 4 == 0))
    store_units(y, sums, place, first, end, s, together ? run : 1, unit_of);
  else
    store_rows(y, sums, place, first, end, s, shared, unit_of, pixel_slot);
}
