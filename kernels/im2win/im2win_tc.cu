// im2win on tensor cores: the windows of the stored im2win tensor, multiplied by the filter a tile of y at a time.
//
//   y(o, j) = bias(o) + Σ_k F(o, k) · Î(start of window j + place of k)      j counts the pixels of all images
//
//                         Î: tile_n windows, tile_k at a time       Windows are rows of a matrix that is not there:
//                        +---------------------------------+        where strides are small they overlap in memory,
//     F                  |/////////////////////////////////|        and im2col would store each of them apart.
//    +------+            +-------------+-------------------+
//    |//////|            |  warp       |                   |        A block multiplies a slice of both operands at a
//    |//////|    tile_m  |  warp_m ×   |        y          |        time. A warp has warp_m × warp_n of the tile, in
//    |//////|  channels  |  warp_n     |                   |        WMMA fragments of 16 × 16 × 16, FP32 sums.
//    +------+            +-------------+-------------------+
//     tile_k                 tile_n pixels
//
//   shared memory   slice 0 ──────────┐ slice 1 ──────────┐       with double_buffer the next slice is on its way, and
//   registers         step 0, step 1, … step 0, step 1, …         the next step's fragments are loaded, while one is
//                                                                 multiplied; without it all wait for each other
//
// Algorithm 1 of the source, with its errata: the last block of a backward row is column 0 and not −1; a barrier stands
// between the end of a copy, which a thread knows of its own words only, and the loads of fragments; the slots change
// places; and the wait for a copy comes after the products that it is to hide behind.
//
// Source: Fu, Ma, Zhang, Zhao, Lu & Liu, 2026, arXiv 2608.20725.
#include <mma.h>

#include "common/element.cuh"
#include "common/schedule.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 64, tile_n = 128, tile_k = 64, warp_m = 32, warp_n = 64, blocks = 3;
constexpr bool zigzag = true, async_copy = true, double_buffer = true, vector_io = true;
constexpr bool contiguous = true, index_precompute = false;
constexpr __constant__ int places[] = {0};
#endif

constexpr int threads = 32 * (tile_m / warp_m) * (tile_n / warp_n);
constexpr int tile_pitch = tile_k + 8;  // of a slice's rows: eight of them then begin in different banks
constexpr int slice_m = tile_m * tile_pitch, slice_n = tile_n * tile_pitch;

#include "im2win/slice_copy.cuh"
#include "im2win/tile_of_fragments.cuh"

// The filter: rows of one matrix.
struct Filter {
  static constexpr bool whole = true;
  const Element* memory;
  int first_row, pitch, length;
  __device__ int start(int row) const { return (first_row + row) * (pitch / 8); }
  __device__ long long place(int e) const { return e; }
};

// The windows of tile_n pixels, from `first_pixel`. A pixel behind the last reads the first window of all: its sums are
// not stored, and asking for each copy whether it is one would take registers that 128 sums a thread don't leave.
struct Windows {
  static constexpr bool whole = false;
  const Element* memory;
  const Sizes& s;
  int group, first_pixel, length;

  __device__ int start(int row) const {
    const int pixel = first_pixel + row, q = pixel % s.wo, p = pixel / s.wo % s.ho, n = pixel / s.wo / s.ho;
    if (n >= s.n) return 0;
    return ((n * s.groups + group) * s.ho + p) * (s.columns * s.column / 8) + q * s.stride_w * s.column / 8;
  }
  // Without dilation a window is one run. With it its columns are apart, and each begins at a multiple of 16 bytes.
  __device__ long long place(int e) const {
    if constexpr (index_precompute) return places[e / 8] * 8LL + e % 8;
    if constexpr (contiguous) return e;
    return e / s.column * s.dilation_w * static_cast<long long>(s.column) + e % s.column;
  }
};

extern "C" __global__ void __launch_bounds__(threads, blocks)
    im2win_tc(const Element* __restrict__ windows, const Element* __restrict__ filter, const Element* __restrict__ bias,
              Element* __restrict__ y, const Sizes s) {
  extern __shared__ uint4 shared[];
  Element* const filter_slices = reinterpret_cast<Element*>(shared);
  Element* const window_slices = filter_slices + (double_buffer ? 2 : 1) * slice_m;

  const int columns = s.filter_rows / tile_m;  // tiles of a group's output channels
  const TileIndex tile = tile_of_block(blockIdx.x, columns * s.groups, zigzag);
  const int group = tile.column / columns, first_o = tile.column % columns * tile_m, first_pixel = tile.row * tile_n;

  SliceCopy<tile_m, threads, Filter> filter_copy(
      {filter, group * s.filter_rows + first_o, s.window_pitch, s.window_pitch});
  SliceCopy<tile_n, threads, Windows> window_copy({windows, s, group, first_pixel, s.window});
  const auto begin = [&](int slot, int slice) {
    filter_copy.begin(filter_slices + slot * slice_m, slice);
    window_copy.begin(window_slices + slot * slice_n, slice);
  };
  const auto finish = [&](int slot) {
    filter_copy.finish(filter_slices + slot * slice_m);
    window_copy.finish(window_slices + slot * slice_n);
    __syncthreads();
  };

  const int slices = s.window_pitch / tile_k;
  constexpr int steps = tile_k / 16;
  Sums sums;
  Fragments fragments[double_buffer ? 2 : 1];
  if constexpr (double_buffer) {
    begin(0, 0);
    finish(0);
    fragments[0].load(filter_slices, window_slices, 0);
    for (int slice = 0, slot = 0; slice < slices; ++slice, slot = 1 - slot) {
      const bool more = slice + 1 < slices;
      if (more) begin(1 - slot, slice + 1);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        if (step + 1 < steps)
          fragments[(step + 1) % 2].load(filter_slices + slot * slice_m, window_slices + slot * slice_n, step + 1);
        sums.add(fragments[step % 2]);
      }
      if (!more) break;
      finish(1 - slot);
      fragments[0].load(filter_slices + (1 - slot) * slice_m, window_slices + (1 - slot) * slice_n, 0);
    }
  } else {
    for (int slice = 0; slice < slices; ++slice) {
      begin(0, slice);
      finish(0);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        fragments[0].load(filter_slices, window_slices, step);
        sums.add(fragments[0]);
      }
      __syncthreads();
    }
  }
  __syncthreads();
  float* const staged = reinterpret_cast<float*>(shared);
  sums.stage(staged);
  __syncthreads();
  store_staged(staged, bias, y, s, group * s.cog + first_o, min(tile_m, s.cog - first_o), first_pixel);
}
