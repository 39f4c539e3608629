// C = A·B for a batch of matrices in single precision: what an im2col matrix or Winograd's points are multiplied by.
//
//   C(i, j) = Σ_k A(i, k)·B(k, j) (+ bias)        i < m, j < n; k of them
//
//                       B, tile_k × tile_n            a block: tile_m × tile_n of C
//                      +-----------------+            a warp: 8·thread_m × 4·thread_n, as 8 × 4 threads
//                      |/////////////////|            a thread: thread_m × thread_n, in registers
//        A             +-----------------+
//      +-----+         +---------+-------+            each number in shared memory is read once by a thread and
//      |/////|         | warp    |       |            multiplied thread_m (or thread_n) times: what 8 × 8 leaves
//      |/////|  tile_m |         |       |            short of the multiply-adds' pace, 8 × 16 gains
//      |/////|         |         |       |
//      |/////|         +---------+       |            `stages` slices of A and B are in shared memory: while one is
//      +-----+         +-----------------+            multiplied, the asynchronous copies fill the others
//      tile_k               tile_n
//
// Operands are stored with either index contiguous; slices always lie as (k, i) and (k, j), so that a thread reads its
// fragments as 16-byte vectors. Rows and columns beyond the matrix and beyond k are zeros in shared memory and are not
// stored.
//
// Source: Volkov & Demmel, SC 2008, whose blocks keep the sums in registers.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 128, tile_k = 8, thread_m = 8, thread_n = 16, stages = 4, blocks_per_sm = 2;
constexpr bool a_k_contiguous = false, b_k_contiguous = false, vector_a = true, vector_b = true, vector_c = true;
constexpr bool segmented = false, bias_of_rows = false;
#endif
#include "common/gemm_tile.cuh"
#include "common/multiply_slices.cuh"

constexpr int warp_m = 8 * thread_m, warp_n = 4 * thread_n;
constexpr int warps_n = tile_n / warp_n, threads = tile_m / warp_m * warps_n * 32;
constexpr int pitch_a = tile_m + 4, pitch_b = tile_n + 4;  // 4: transposing copies then spread over all banks
constexpr int slice_a = tile_k * pitch_a, slice_b = tile_k * pitch_b;

// Starts the copy of a slice (k0 … k0 + tile_k, x0 … x0 + tile_x) of an operand, where x is its other index. A warp
// copies neighbours in x, or, where k is contiguous, 8 neighbours in k for 4 values of x.
template <int tile_x, bool k_contiguous, bool vector>
__device__ __forceinline__ void bring(float* slice, const float* operand, long long ld, int x0, int k0, int extent_x,
                                      int extent_k) {
  constexpr int width = vector && !k_contiguous ? 4 : 1;
  constexpr int rows = threads * width / tile_x, threads_k = k_contiguous ? 8 : rows > 1 ? rows : 1;
  constexpr int threads_x = threads / threads_k;
  static_assert(tile_k % threads_k == 0 && tile_x % (threads_x * width) == 0, "threads must divide a slice evenly");
  const int k_of_thread = k_contiguous ? threadIdx.x % 8 : threadIdx.x / threads_x;
  const int x_of_thread = k_contiguous ? threadIdx.x / 8 : threadIdx.x % threads_x * width;
  const long long step_x = k_contiguous ? ld : 1, step_k = k_contiguous ? 1 : ld;
  const float* const from = operand + (x0 + x_of_thread) * step_x + (k0 + k_of_thread) * step_k;
  float* const to = slice + k_of_thread * (tile_x + 4) + x_of_thread;
#pragma unroll
  for (int k = 0; k < tile_k; k += threads_k)
#pragma unroll
    for (int x = 0; x < tile_x; x += threads_x * width) {
      const int valid = k0 + k_of_thread + k < extent_k ? extent_x - (x0 + x_of_thread + x) : 0;
      copy_async<width>(to + k * (tile_x + 4) + x, valid > 0 ? from + x * step_x + k * step_k : operand, valid);
    }
}

// A thread's part of row k of a slice: blocks of four, `step` apart.
template <int count>
__device__ __forceinline__ void read_fragment(const float* row, int step, float (&fragment)[count]) {
#pragma unroll
  for (int block = 0; block < count / 4; ++block) {
    const float4 four = *reinterpret_cast<const float4*>(row + block * step);
    fragment[4 * block] = four.x, fragment[4 * block + 1] = four.y;
    fragment[4 * block + 2] = four.z, fragment[4 * block + 3] = four.w;
  }
}

extern "C" __global__ void __launch_bounds__(threads, blocks_per_sm)
    gemm(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ bias,
         float* __restrict__ c, long long inner, long long a_outer, long long a_inner, long long b_outer,
         long long b_inner, long long c_outer, long long c_inner, const Sizes s) {
  extern __shared__ __align__(16) float shared[];  // stages × (slice of A, slice of B)
  const GemmTile tile(inner, s);
  a = tile.matrix(a, a_outer, a_inner), b = tile.matrix(b, b_outer, b_inner), c = tile.matrix(c, c_outer, c_inner);

  // Lanes: bits 0 and 2 count along j, bits 1, 3 and 4 along i. Lanes i and i^1 read the same part of A, i and i^2 the
  // same of B, which is what lets two halves of a warp share one pass through shared memory.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_i = (lane >> 1 & 1) | (lane >> 2 & 6), lane_j = (lane & 1) | (lane >> 1 & 2);
  const int i_in_tile = warp / warps_n * warp_m + lane_i * 4, j_in_tile = warp % warps_n * warp_n + lane_j * 4;

  float sums[thread_m][thread_n] = {};
  const auto slice_at = [&](int slot) { return shared + slot * (slice_a + slice_b); };
  const auto bring_both = [&](int slot, int k0) {
    bring<tile_m, a_k_contiguous, vector_a>(slice_at(slot), a, s.lda, tile.i0, k0, s.m, s.k);
    bring<tile_n, b_k_contiguous, vector_b>(slice_at(slot) + slice_a, b, s.ldb, tile.j0, k0, s.n, s.k);
  };
  multiply_slices(s.k, bring_both, [&](int slot) {
    const float *const row_a = slice_at(slot) + i_in_tile, *const row_b = slice_at(slot) + slice_a + j_in_tile;
#pragma unroll
    for (int k = 0; k < tile_k; ++k) {
      float fragment_a[thread_m], fragment_b[thread_n];
      read_fragment(row_a + k * pitch_a, 32, fragment_a);
      read_fragment(row_b + k * pitch_b, 16, fragment_b);
#pragma unroll
      for (int i = 0; i < thread_m; ++i)
#pragma unroll
        for (int j = 0; j < thread_n; ++j) sums[i][j] += fragment_a[i] * fragment_b[j];
    }
  });

  const float* const channel_bias = has_bias ? bias + tile.inner * (bias_of_rows ? s.m : s.n) : nullptr;
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    const int row = tile.i0 + i_in_tile + i / 4 * 32 + i % 4;
    if (row >= s.m) continue;
#pragma unroll
    for (int block = 0; block < thread_n / 4; ++block) {
      const int column = tile.j0 + j_in_tile + block * 16;
      float value[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        value[j] = sums[i][4 * block + j];
        if (has_bias && column + j < s.n) value[j] += channel_bias[bias_of_rows ? row : column + j];
      }
      float* const row_c = c + row * static_cast<long long>(s.ldc);
      if (vector_c && column + 4 <= s.n) {
        *reinterpret_cast<float4*>(row_c + offset_of_column(column, s)) =
            make_float4(value[0], value[1], value[2], value[3]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (column + j < s.n) row_c[offset_of_column(column + j, s)] = value[j];
      }
    }
  }
}
