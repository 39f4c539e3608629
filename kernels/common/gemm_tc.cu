// C = A·B for a batch of matrices on tensor cores: FP16 or BF16 operands, FP32 sums, C in either.
//
//   C(i, j) = Σ_k A(i, k)·B(k, j) (+ bias)        i < m, j < n; k of them
//
//                       B, tile_k × tile_n            a block: tile_m × tile_n of C
//                      +-----------------+            a warp: tile_m/2 × 32, in registers, as products of
//                      |/////////////////|                    16×16 by 16×8 (common/mma.cuh)
//        A             +-----------------+
//      +-----+         +----+----+---+---+            `stages` slices of A and B are in shared memory: while one is
//      |/////|         |warp|    |   |   |            multiplied, the asynchronous copies fill the others
//      |/////|  tile_m +----+----+---+---+
//      |/////|         |    |    |   |   |            at the end C goes through shared memory too, so that whole rows
//      +-----+         +----+----+---+---+            are written
//      tile_k               tile_n
//
// Operands are stored with either index contiguous (common/mma_tile.cuh). What is beyond the matrix is not stored.
//
// Source: Volkov & Demmel, SC 2008, whose blocks keep the sums in registers; the instructions, NVIDIA's PTX ISA.
#include "common/default_layer.h"
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 128, tile_k = 32, stages = 4, blocks_per_sm = 2;
constexpr bool a_k_contiguous = true, b_k_contiguous = true, vector_a = true, vector_b = true, vector_c = true;
constexpr bool segmented = false, bias_of_rows = false;
constexpr DType result = f16;
#endif
#include "common/gemm_tile.cuh"
#include "common/mma_tile.cuh"
#include "common/multiply_slices.cuh"

using Result = typename ElementOf<result>::Type;
using SliceA = Slice<tile_m, a_k_contiguous>;
using SliceB = Slice<tile_n, b_k_contiguous>;

extern "C" __global__ void __launch_bounds__(threads, blocks_per_sm)
    gemm_tc(const Element* __restrict__ a, const Element* __restrict__ b, const Element* __restrict__ bias,
            Result* __restrict__ c, long long inner, long long a_outer, long long a_inner, long long b_outer,
            long long b_inner, long long c_outer, long long c_inner, const Sizes s) {
  extern __shared__ uint4 shared[];  // stages × (slice of A, slice of B); at the end the tile of C in FP32
  const GemmTile tile(inner, s);
  a = tile.matrix(a, a_outer, a_inner), b = tile.matrix(b, b_outer, b_inner), c = tile.matrix(c, c_outer, c_inner);

  const auto slice_a = [&](int slot) {
    return reinterpret_cast<Element*>(shared) + slot * (SliceA::elements + SliceB::elements);
  };
  const auto slice_b = [&](int slot) { return slice_a(slot) + SliceA::elements; };
  const auto bring_both = [&](int slot, int k0) {
    SliceA::bring<vector_a>(slice_a(slot), a, s.lda, tile.i0, k0, s.m, s.k);
    SliceB::bring<vector_b>(slice_b(slot), b, s.ldb, tile.j0, k0, s.n, s.k);
  };
  TileSums sums;
  multiply_slices(s.k, bring_both, [&](int slot) { sums.add<SliceA, SliceB>(slice_a(slot), slice_b(slot)); });
  float* const staged = reinterpret_cast<float*>(shared);
  sums.stage(staged);

  constexpr int width = vector_c ? 16 / static_cast<int>(sizeof(Result)) : 1;
  const Element* const channel_bias = has_bias ? bias + tile.inner * (bias_of_rows ? s.m : s.n) : nullptr;
#pragma unroll 4
  for (int e = threadIdx.x * width; e < tile_m * tile_n; e += threads * width) {
    const int row = e / tile_n, column = e % tile_n, i = tile.i0 + row, j = tile.j0 + column;
    if (i >= s.m || j >= s.n) continue;
    alignas(16) Result values[width];
#pragma unroll
    for (int v = 0; v < width; ++v) {
      float value = staged[row * staged_pitch + column + v];
      if (has_bias && j + v < s.n) value += to_float(channel_bias[bias_of_rows ? i : j + v]);
      values[v] = rounded_to<result>(value);
    }
    Result* const to = c + i * static_cast<long long>(s.ldc);
    if (vector_c && j + width <= s.n) {
      *reinterpret_cast<uint4*>(to + offset_of_column(j, s)) = *reinterpret_cast<const uint4*>(values);
    } else {
#pragma unroll
      for (int v = 0; v < width; ++v)
        if (j + v < s.n) to[offset_of_column(j + v, s)] = values[v];
    }
  }
}
