// Which tile of which C a block of gemm.cu or gemm_tc.cu computes.
#pragma once

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
