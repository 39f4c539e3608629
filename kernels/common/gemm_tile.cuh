// What gemm.cu and gemm_tc.cu share: which tile of which C a block computes, and the order in which slices of A and B
// are brought and multiplied.
#pragma once

#include "common/copy_async.cuh"
#include "common/default_layer.h"
#include "common/schedule.h"

// Batch b takes outer = b / inner and b % inner: a point and a group, say.
struct GemmTile {
  int outer, inner;
  int i0, j0;  // its first row and column of C

  // Blocks that run together go along the shorter side of C, so that they share a slice of the longer operand.
  __device__ __forceinline__ GemmTile(long long inner_count, const Sizes& s)
      : outer(blockIdx.y / static_cast<int>(inner_count)), inner(blockIdx.y % static_cast<int>(inner_count)) {
    const int tiles_m = (s.m + tile_m - 1) / tile_m, tiles_n = (s.n + tile_n - 1) / tile_n;
    const TileIndex tile = tile_of_block(blockIdx.x, min(tiles_m, tiles_n), false);
    i0 = (tiles_m <= tiles_n ? tile.column : tile.row) * tile_m;
    j0 = (tiles_m <= tiles_n ? tile.row : tile.column) * tile_n;
  }

  template <class Number>
  __device__ __forceinline__ Number* matrix(Number* first, long long outer_step, long long inner_step) const {
    return first + outer * outer_step + inner * inner_step;
  }
};

// Where column j of C lies in its row: with segments, `segment` columns lie together, and segments lie apart.
__device__ __forceinline__ long long offset_of_column(int j, const Sizes& s) {
  return segmented ? j / s.segment * static_cast<long long>(s.segment_step) + j % s.segment : j;
}

// bring(slot, k0) starts the copies of a slice of k, multiply(slot) adds its products: while one slice is multiplied,
// the next stages − 1 are on their way.
template <class Bring, class Multiply>
__device__ __forceinline__ void multiply_slices(int extent_k, Bring&& bring, Multiply&& multiply) {
  const int slices = (extent_k + tile_k - 1) / tile_k;
  const auto start = [&](int index) {
    if (index < slices) bring(index % stages, index * tile_k);
    close_batch();  // empty at the end, so that the count of batches stays right
  };
#pragma unroll
  for (int index = 0; index < stages - 1; ++index) start(index);
  for (int index = 0; index < slices; ++index) {
    if constexpr (stages == 1) {
      __syncthreads();  // nobody reads the slice any more
      start(index);
    }
    wait_for_batches<(stages > 1 ? stages - 2 : 0)>();
    __syncthreads();  // the slice is there for all, and nobody reads the one before it any more
    if constexpr (stages > 1) start(index + stages - 1);
    multiply(index % stages);
  }
}
