// What the kernels of Winograd share: the matrices of F(m_h×m_w, H_f×W_f), how they are applied, and where tiles lie.
//
//   V = B_hᵀ d B_w       U = G_h g G_wᵀ       Y = A_hᵀ M A_w       (algorithms/winograd/cook_toom.h)
//
// A matrix is written as rows of integers, each over one denominator: `bt_h` and `bt_h_over`. The program writes them
// above this text for the m, filter and points of the layer; every loop over them is unrolled, so that they end up as
// immediate operands, and what multiplies a zero is never read: a NaN reaches only the cells that it is a source of.
//
// Transforms are in FP32 whatever tensors hold. For tensor cores V and U are stored in the tensors' short type, times
// powers of two that are part of bt_h, g_h and, undone, of at_h: sums of |coefficients| stay ≤ 1, so that nothing
// overflows (algorithms/winograd/nested.h). M is in FP32.
//
// Tiles are numbered through the images of the call's chunk, n slowest (n, t, s), or fastest (t, s, n) where tensors
// are CHWN. Neighbouring threads take neighbours along the axis that is fastest in memory.
#pragma once

#include "common/default_layer.h"
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 64;
constexpr bool staging = false, images_fastest = false, tiles_fastest = false;
constexpr int m_h = 2, m_w = 2, r_h = 3, r_w = 3;
constexpr __device__ float bt_h[] = {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1}, bt_h_over[] = {1, 1, 1, 1};
constexpr __device__ float bt_w[] = {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1}, bt_w_over[] = {1, 1, 1, 1};
constexpr __device__ float g_h[] = {1, 0, 0, 1, 1, 1, 1, -1, 1, 0, 0, 1}, g_h_over[] = {1, 2, 2, 1};
constexpr __device__ float g_w[] = {1, 0, 0, 1, 1, 1, 1, -1, 1, 0, 0, 1}, g_w_over[] = {1, 2, 2, 1};
constexpr __device__ float at_h[] = {1, 1, 1, 0, 0, 1, -1, -1}, at_h_over[] = {1, 1};
constexpr __device__ float at_w[] = {1, 1, 1, 0, 0, 1, -1, -1}, at_w_over[] = {1, 1};
#endif

constexpr int n_h = m_h + r_h - 1, n_w = m_w + r_w - 1;  // input elements of a tile, and points
constexpr int points = n_h * n_w;

// out = matrix·in, for a vector of `columns` elements `in_step` apart.
template <int rows, int columns, int in_step, int out_step>
__device__ __forceinline__ void apply(const float* matrix, const float* over, const float* in, float* out) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    float sum = 0.0f;
    bool first = true;
#pragma unroll
    for (int k = 0; k < columns; ++k)
      if (const float coefficient = matrix[i * columns + k]; coefficient != 0.0f) {
        sum = first ? coefficient * in[k * in_step] : sum + coefficient * in[k * in_step];
        first = false;
      }
    out[i * out_step] = sum / over[i];
  }
}

// out (rows_h, rows_w) = left·in·rightᵀ for in (columns_h, columns_w), all in registers.
template <int rows_h, int columns_h, int rows_w, int columns_w>
__device__ __forceinline__ void sandwich(const float* left, const float* left_over, const float* right,
                                         const float* right_over, const float* in, float* out) {
  float half[rows_h * columns_w];  // left·in
#pragma unroll
  for (int k = 0; k < columns_w; ++k)
    apply<rows_h, columns_h, columns_w, columns_w>(left, left_over, in + k, half + k);
#pragma unroll
  for (int i = 0; i < rows_h; ++i)
    apply<rows_w, columns_w, 1, 1>(right, right_over, half + i * columns_w, out + i * rows_w);
}

// One tile of the chunk: its image, counted from the chunk's first, and its row and column of tiles.
struct Tile {
  int n, t, s;
};

__device__ inline Tile tile_at(int index, int images, const Sizes& s) {
  if (images_fastest) return {index % images, index / images / s.tiles_w, index / images % s.tiles_w};
  return {index / s.tiles_w / s.tiles_h, index / s.tiles_w % s.tiles_h, index % s.tiles_w};
}

// What a thread works on: a tile and a channel. With tiles fastest in V and M a block takes one channel, so that its
// threads are neighbouring tiles; otherwise neighbouring threads take neighbouring channels.
struct Item {
  int tile, channel;
};

__device__ inline Item item_of_thread(int tiles, int channels) {
  if (tiles_fastest) {
    const int blocks = (tiles + threads - 1) / threads;
    return {static_cast<int>(blockIdx.x % blocks) * threads + static_cast<int>(threadIdx.x),
            static_cast<int>(blockIdx.x / blocks)};
  }
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  return {static_cast<int>(index / channels), static_cast<int>(index % channels)};
}

// Where the cell of an item lies at point 0 of V (channels C_i) or M (C_o). `pitch` is the tiles of a whole chunk, of
// which the last may have fewer; points lie pitch·channels apart.
__device__ inline long long cell_of(Item item, int pitch, int channels) {
  return tiles_fastest ? item.channel * static_cast<long long>(pitch) + item.tile
                       : item.tile * static_cast<long long>(channels) + item.channel;
}
