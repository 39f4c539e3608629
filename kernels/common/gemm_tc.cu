// C = A·B for a batch of matrices on tensor cores: FP16 or BF16 operands, FP32 sums, C in either.
//
//   C(i, j) = Σ_k A(i, k)·B(k, j) (+ bias)        i < m, j < n, k < k
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
// Operands are stored with either index contiguous and lie in shared memory as they do in memory; ldmatrix turns its
// 8×8 blocks where need be. Rows of a slice are 16 bytes further apart than they are long: eight of them, which
// ldmatrix reads at once, are then on different banks. What is beyond the matrix is zero in shared memory and is not
// stored.
#include "common/default_layer.h"
#include "common/element.cuh"
#include "common/mma.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 128, tile_k = 32, stages = 4, blocks_per_sm = 2;
constexpr bool a_k_contiguous = true, b_k_contiguous = true, vector_a = true, vector_b = true, vector_c = true;
constexpr bool segmented = false, bias_of_rows = false;
constexpr DType result = f16;
#endif
#include "common/gemm_tile.cuh"

using Result = typename ElementOf<result>::Type;

constexpr int warp_m = tile_m / 2, warp_n = 32, warps_n = tile_n / warp_n, threads = 2 * warps_n * 32;
constexpr int vector = 8;  // elements in 16 bytes

// A slice of an operand in shared memory; x is its index other than k.
template <int tile_x, bool k_contiguous, bool vectors>
struct Slice {
  static constexpr int length = k_contiguous ? tile_k : tile_x, rows = k_contiguous ? tile_x : tile_k;
  static constexpr int pitch = length + vector, elements = rows * pitch;

  // Starts the copy of (x0 … x0 + tile_x, k0 … k0 + tile_k).
  static __device__ __forceinline__ void bring(Element* to, const Element* operand, long long ld, int x0, int k0,
                                               int extent_x, int extent_k) {
    const int row0 = k_contiguous ? x0 : k0, first = k_contiguous ? k0 : x0;
    const int row_end = k_contiguous ? extent_x : extent_k, end = k_contiguous ? extent_k : extent_x;
    constexpr int step = vectors ? vector : 1;
#pragma unroll
    for (int e = threadIdx.x * step; e < rows * length; e += threads * step) {
      const int row = e / length, at = e % length;
      const int valid = row0 + row < row_end ? max(0, min(step, end - first - at)) : 0;
      const Element* const from = operand + (valid > 0 ? (row0 + row) * ld + first + at : 0);
      if constexpr (vectors)
        copy_async_16(to + row * pitch + at, from, valid * static_cast<int>(sizeof(Element)));
      else
        to[row * pitch + at] = valid > 0 ? *from : rounded(0.0f);
    }
  }

  // Four 8×8 blocks from (x, k) on, two along each: first along x where `x_first`.
  template <bool x_first>
  static __device__ __forceinline__ void read(unsigned (&blocks)[4], const Element* slice, int x, int k) {
    const int lane = threadIdx.x % 32, block = lane / 8;
    x += (x_first ? block % 2 : block / 2) * 8 + (k_contiguous ? lane % 8 : 0);
    k += (x_first ? block / 2 : block % 2) * 8 + (k_contiguous ? 0 : lane % 8);
    load_blocks<!k_contiguous>(blocks, slice + (k_contiguous ? x * pitch + k : k * pitch + x));
  }
};
using SliceA = Slice<tile_m, a_k_contiguous, vector_a>;
using SliceB = Slice<tile_n, b_k_contiguous, vector_b>;

extern "C" __global__ void __launch_bounds__(threads, blocks_per_sm)
    gemm_tc(const Element* __restrict__ a, const Element* __restrict__ b, const Element* __restrict__ bias,
            Result* __restrict__ c, long long inner, long long a_outer, long long a_inner, long long b_outer,
            long long b_inner, long long c_outer, long long c_inner, const Sizes s) {
  extern __shared__ uint4 shared[];  // stages × (slice of A, slice of B); at the end the tile of C in FP32
  const GemmTile tile(inner, s);
  a = tile.matrix(a, a_outer, a_inner), b = tile.matrix(b, b_outer, b_inner), c = tile.matrix(c, c_outer, c_inner);

  const int warp = threadIdx.x / 32, i_in_tile = warp / warps_n * warp_m, j_in_tile = warp % warps_n * warp_n;
  float sums[warp_m / 16][warp_n / 8][4] = {};
  const auto slice_a = [&](int slot) {
    return reinterpret_cast<Element*>(shared) + slot * (SliceA::elements + SliceB::elements);
  };
  const auto slice_b = [&](int slot) { return slice_a(slot) + SliceA::elements; };
  const auto bring_both = [&](int slot, int k0) {
    SliceA::bring(slice_a(slot), a, s.lda, tile.i0, k0, s.m, s.k);
    SliceB::bring(slice_b(slot), b, s.ldb, tile.j0, k0, s.n, s.k);
  };
  multiply_slices(s.k, bring_both, [&](int slot) {
#pragma unroll
    for (int k = 0; k < tile_k; k += 16) {
      unsigned blocks_a[warp_m / 16][4], blocks_b[warp_n / 16][4];
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i) SliceA::read<true>(blocks_a[i], slice_a(slot), i_in_tile + 16 * i, k);
#pragma unroll
      for (int j = 0; j < warp_n / 16; ++j) SliceB::read<false>(blocks_b[j], slice_b(slot), j_in_tile + 16 * j, k);
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
        for (int j = 0; j < warp_n / 8; ++j)
          multiply_add(sums[i][j], blocks_a[i], blocks_b[j / 2][j % 2 * 2], blocks_b[j / 2][j % 2 * 2 + 1]);
    }
  });
  wait_for_batches<0>();
  __syncthreads();

  // A row is eight words further than it is long: the four rows that half a warp writes to are on different banks.
  constexpr int pitch = tile_n + 8;
  float* const staged = reinterpret_cast<float*>(shared);
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
    for (int j = 0; j < warp_n / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<float2*>(staged + (i_in_tile + 16 * i + 8 * half + lane / 4) * pitch + j_in_tile + 8 * j +
                                   lane % 4 * 2) = make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
  __syncthreads();

  constexpr int width = vector_c ? 16 / static_cast<int>(sizeof(Result)) : 1;
  const Element* const channel_bias = has_bias ? bias + tile.inner * (bias_of_rows ? s.m : s.n) : nullptr;
#pragma unroll 4
  for (int e = threadIdx.x * width; e < tile_m * tile_n; e += threads * width) {
    const int row = e / tile_n, column = e % tile_n, i = tile.i0 + row, j = tile.j0 + column;
    if (i >= s.m || j >= s.n) continue;
    alignas(16) Result values[width];
#pragma unroll
    for (int v = 0; v < width; ++v) {
      float value = staged[row * pitch + column + v];
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
