// Direct convolution on the tensor cores of any GPU since sm_80, by mma.sync: the patch of x under a tile of y is
// staged once, and every tap multiplies it where it lies.
//
//   y(n, o, p, q) = bias(o) + Σ_{u, v} Σ_c x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u, v)
//
//     x, 64 channels                        for each tap (u, v):     D(pixel, o) += X(pixel + (u, v), c) · w(o, c)
//   ┌─────────────────────┐
//   │   ┌─────────────┐   │                 X: 16 pixels × 16 channels at a time, read from the patch into registers,
//   │   │ ┌───┐       │   │                    whose addresses are the pixels' plus the tap's (fragments.cuh)
//   │   │ │tap│ patch │   │                 w: slices of tile_n output channels × 64 channels of a tap each; while one
//   │   │ └───┘       │   │                    is multiplied, the asynchronous copies bring the others
//   │   └─────────────┘   │
//   └─────────────────────┘                 With few channels a patch holds all of them unpadded, and all taps are one
//                                           row of k (`by_elements`).
//
// Source: the definition.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 64, tile_k = 64, stages = 2, filter_pitch = 576, filter_channels = 64;
constexpr int few_channels = 1;  // C_i/groups, where `by_elements`
constexpr int tile_images = 1, tile_rows = 9, tile_columns = 14, taps_down = 3, taps_across = 3;
constexpr int stride_down = 1, stride_across = 1, dilation_down = 1, dilation_across = 1;
constexpr bool by_elements = false, single_group = true, whole_windows = true, vector_fetch = true, vector_io = true;
#endif
#include "common/multiply_slices.cuh"
#include "common/store_pixels.cuh"
#include "direct/tile_of_pixels.cuh"

using Filter = Slice<tile_n, true>;

extern "C" __global__ void __launch_bounds__(threads)
    direct_mma(const Element* __restrict__ filter, const Element* __restrict__ x, const Element* __restrict__ bias,
               Element* __restrict__ y, const Sizes s) {
  extern __shared__ uint4 shared[];  // the patch, slices of the filter, the table; at the end the tile in FP32
  auto* const patch = reinterpret_cast<unsigned char*>(shared);
  auto* const slices = reinterpret_cast<Element*>(patch + patch_bytes);
  auto* const table = reinterpret_cast<unsigned short*>(slices + stages * Filter::elements);
  const Tile tile(s, blockIdx.x);
  if constexpr (by_elements) Elements::fill_table(table);  // there with the first patch

  using Fragments = FragmentsOf<by_elements>::Type;
  TileSums sums;
  const int row = TileSums::first_row();
  const Fragments fragments[] = {Fragments(row), Fragments(row + 16), Fragments(row + 32), Fragments(row + 48)};
  static_assert(warp_m == 64, "four fragments a warp");

  const Element* const rows = filter + tile.group * s.cog * static_cast<long long>(filter_pitch);
  const auto bring = [&](int slot, int k0) {
    const PatchOfK of(k0 / tile_k / blocks_a_patch);
    const int block = k0 / tile_k % blocks_a_patch, tap = by_elements ? 0 : of.u * taps_across + block;
    Filter::bring<true>(slices + slot * Filter::elements, rows + tap * filter_channels, filter_pitch,
                        tile.first_o - tile.group * s.cog, by_elements ? block * tile_k : of.c, s.cog,
                        by_elements ? Elements::reduction : s.cig);
  };
  int next = 0;
  multiply_slices(PatchOfK::count(s) * blocks_a_patch * tile_k, bring, [&](int slot) {
    const PatchOfK of(next / blocks_a_patch);
    const int block = next++ % blocks_a_patch;
    if (block == 0) {
      __syncthreads();  // nobody reads the last patch any more
      fetch_by_threads<threads>(patch, x, s, patch_origin(s, tile, of), threadIdx.x);
      __syncthreads();
    }
    const int steps = of.steps(s, block);
#pragma unroll
    for (int step = 0; step < tile_k / 16; ++step) {
      if (step >= steps) break;
      const auto load = [&](unsigned(&a)[4], int i) { fragments[i].load(a, patch, table, block, step); };
      sums.add_step<Filter>(load, slices + slot * Filter::elements, 16 * step);
    }
  });
  float* const staged = reinterpret_cast<float*>(shared);
  sums.stage(staged);
  store_pixels(staged, bias, y, s, tile.first_o, tile.end_o, [&](int row) { return tile.offset_in_y(s, row); });
}
