// A block's tile of a matrix product on tensor cores by mma.sync: slices of both operands in shared memory, a warp's
// tile_m/2 × 32 sums in registers, and the way of the sums back to shared memory.
//
// Slices lie in shared memory as their operands do in memory; ldmatrix turns their 8×8 blocks where need be. Rows of a
// slice are 16 bytes further apart than they are long: eight of them, which ldmatrix reads at once, are then on
// different banks. What is beyond an operand is zero.
#pragma once

#include "common/copy_async.cuh"
#include "common/mma.cuh"

constexpr int warp_m = tile_m / 2, warp_n = 32, warps_n = tile_n / warp_n, threads = 2 * warps_n * 32;
constexpr int vector = 8;  // elements in 16 bytes

// A slice of an operand; x is its index other than k.
template <int tile_x, bool k_contiguous>
struct Slice {
  static constexpr int length = k_contiguous ? tile_k : tile_x, rows = k_contiguous ? tile_x : tile_k;
  static constexpr int pitch = length + vector, elements = rows * pitch;

  // Starts the copy of (x0 … x0 + tile_x, k0 … k0 + tile_k) of a matrix.
  template <bool vectors>
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

// Of a tile in shared memory, in FP32. A row is eight words further than it is long: the four rows that half a warp
// writes to are on different banks.
constexpr int staged_pitch = tile_n + 8;

struct TileSums {
  float of[warp_m / 16][warp_n / 8][4] = {};

  static __device__ int first_row() { return threadIdx.x / 32 / warps_n * warp_m; }
  static __device__ int first_column() { return threadIdx.x / 32 % warps_n * warp_n; }

  // The products of 16 values of k. load_a(blocks, i) brings rows 16·i … 16·i + 15 of the warp's part of the left
  // operand; the right one is read from its slice, from k on.
  template <class SliceB, class LoadA>
  __device__ __forceinline__ void add_step(LoadA&& load_a, const Element* slice_b, int k) {
    unsigned blocks_a[warp_m / 16][4], blocks_b[warp_n / 16][4];
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) load_a(blocks_a[i], i);
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j)
      SliceB::template read<false>(blocks_b[j], slice_b, first_column() + 16 * j, k);
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
      for (int j = 0; j < warp_n / 8; ++j)
        multiply_add(of[i][j], blocks_a[i], blocks_b[j / 2][j % 2 * 2], blocks_b[j / 2][j % 2 * 2 + 1]);
  }
  template <class SliceA, class SliceB>
  __device__ __forceinline__ void add(const Element* slice_a, const Element* slice_b) {
#pragma unroll
    for (int k = 0; k < tile_k; k += 16) {
      const auto load_a = [&](unsigned(&blocks)[4], int i) {
        SliceA::template read<true>(blocks, slice_a, first_row() + 16 * i, k);
      };
      add_step<SliceB>(load_a, slice_b, k);
    }
  }

  // To where slices were: all threads have done with them, and see the tile when it is there.
  __device__ __forceinline__ void stage(float* staged) const {
    wait_for_batches<0>();
    __syncthreads();
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
      for (int j = 0; j < warp_n / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          *reinterpret_cast<float2*>(staged + (first_row() + 16 * i + 8 * half + lane / 4) * staged_pitch +
                                     first_column() + 8 * j + lane % 4 * 2) =
              make_float2(of[i][j][2 * half], of[i][j][2 * half + 1]);
    __syncthreads();
  }
};
