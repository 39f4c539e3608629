// A warp's part of a tile of y, in WMMA fragments, and the way of the sums from there to y.
//
// WMMA doesn't tell which thread has which element of a fragment, so the sums go through shared memory: pixel by pixel
// where y is NHWC, and channel by channel in other layouts, so that neighbouring threads write neighbours in memory.
#pragma once

#include "common/element.cuh"

constexpr int rows_of_fragments = warp_m / 16, columns_of_fragments = warp_n / 16;
constexpr bool by_pixels = y_layout == NHWC;
constexpr int staged_pitch = (by_pixels ? tile_m : tile_n) + 4;

// Where the warp's part begins in the tile.
__device__ __forceinline__ int warp_row() { return threadIdx.x / 32 / (tile_n / warp_n) * warp_m; }
__device__ __forceinline__ int warp_column() { return threadIdx.x / 32 % (tile_n / warp_n) * warp_n; }

// The operands of 16 values of k: WMMA's A is the filter, and its B is the windows, each of which is a column.
struct Fragments {
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, Element, nvcuda::wmma::row_major>
      filter[rows_of_fragments];
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, Element, nvcuda::wmma::col_major>
      windows[columns_of_fragments];

  __device__ __forceinline__ void load(const Element* filter_slice, const Element* window_slice, int step) {
#pragma unroll
    for (int i = 0; i < rows_of_fragments; ++i)
      load_matrix_sync(filter[i], filter_slice + (warp_row() + 16 * i) * tile_pitch + 16 * step, tile_pitch);
#pragma unroll
    for (int j = 0; j < columns_of_fragments; ++j)
      load_matrix_sync(windows[j], window_slice + (warp_column() + 16 * j) * tile_pitch + 16 * step, tile_pitch);
  }
};

struct Sums {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> of[rows_of_fragments][columns_of_fragments];

  __device__ Sums() {
    for (auto& row : of)
      for (auto& sum : row) nvcuda::wmma::fill_fragment(sum, 0.0f);
  }
  __device__ __forceinline__ void add(const Fragments& operands) {
#pragma unroll
    for (int i = 0; i < rows_of_fragments; ++i)
#pragma unroll
      for (int j = 0; j < columns_of_fragments; ++j)
        mma_sync(of[i][j], operands.filter[i], operands.windows[j], of[i][j]);
  }
  __device__ __forceinline__ void stage(float* staged) const {
#pragma unroll
    for (int i = 0; i < rows_of_fragments; ++i)
#pragma unroll
      for (int j = 0; j < columns_of_fragments; ++j) {
        const int row = warp_row() + 16 * i, column = warp_column() + 16 * j;
        store_matrix_sync(staged + (by_pixels ? column * staged_pitch + row : row * staged_pitch + column), of[i][j],
                          staged_pitch, by_pixels ? nvcuda::wmma::mem_col_major : nvcuda::wmma::mem_row_major);
      }
  }
};

// Adds the bias, rounds, and writes what the tile has of y: `channels` from first_o, and the pixels that there are.
__device__ __forceinline__ void store_staged(const float* staged, const Element* bias, Element* y, const Sizes& s,
                                             int first_o, int channels, int first_pixel) {
  constexpr int run = by_pixels && vector_io ? 8 : 1;
  const int pixels = min(tile_n, s.n * s.ho * s.wo - first_pixel);
  for (int i = threadIdx.x; i < tile_m * tile_n / run; i += threads) {
    const int o = by_pixels ? i % (tile_m / run) * run : i / tile_n;
    const int j = by_pixels ? i / (tile_m / run) : i % tile_n;
    if (j >= pixels || o >= channels) continue;
    const int pixel = first_pixel + j, q = pixel % s.wo, p = pixel / s.wo % s.ho, n = pixel / s.wo / s.ho;
    Element* const to = y + n * s.y_n + (first_o + o) * s.y_c + p * s.y_h + q * s.y_w;
    const float* const from = staged + (by_pixels ? j * staged_pitch + o : o * staged_pitch + j);
    union {
      uint4 vector;
      Element of[8];
    } eighth;
#pragma unroll
    for (int k = 0; k < run; ++k)
      eighth.of[k] = rounded(from[k] + (has_bias && o + k < channels ? to_float(bias[first_o + o + k]) : 0.0f));
    if (run == 8 && s.cog % 8 == 0) {
      *reinterpret_cast<uint4*>(to) = eighth.vector;
    } else {
#pragma unroll
      for (int k = 0; k < run; ++k)
        if (o + k < channels) to[k] = eighth.of[k];
    }
  }
}
