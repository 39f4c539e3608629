// Direct convolution on CUDA cores: the patch of x under a tile of y is read once, and every tap reads it where it
// lies.
//
//   y(n, o, p, q) = bias(o) + Σ_{c, u, v} x(n, c_0 + c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u, v)
//
// with c_0 = ⌊o / (C_o/G)⌋ · C_i/G, the first channel of o's group.
//
//     x, one channel                          a tile of y, tile_m output channels deep
//   ┌─────────────────────────┐
//   │    ┌───────────────┐    │               ┌───────────┐
//   │    │ ┌───┐         │    │               │ □         │   tile_rows rows × tile_columns units of four pixels.
//   │    │ │   │ window  │    │      ──→      │           │   The patch in shared memory has the tile's rows and
//   │    │ └───┘    patch│    │               │           │   columns and what the last windows reach beyond them.
//   │    └───────────────┘    │               └───────────┘
//   └─────────────────────────┘
//
// A stage is the patch of `stage_channels` channels and the taps of `stage_rows` filter rows: all H_f of them, so that
// a value of x is fetched once a tile, where im2win fetches it H_f times and implicit GEMM H_f·W_f times; or one, where
// all the taps of a large filter would not fit. What it pays is the shape of its tiles: rectangles, which stick out of
// the image. A unit of pixels is four columns of a row or four images, and windows along a row are read as im2win reads
// them (window.cuh).
//
// The one-output-a-thread form is direct_naive.cu.
//
// Source: the definition.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 64, tile_n = 128, thread_m = 8, thread_n = 8, min_blocks = 4;
constexpr int stage_channels = 4, stage_rows = 3, taps = 3, stride = 1, dilation = 1, stride_down = 1;
constexpr int dilation_down = 1, images_across = 1, tile_rows = 2, tile_columns = 16, copy_floats = 1, pitch = 288;
constexpr bool double_buffer = true, swizzle = true, vector_io = true, index_precompute = true, checked = false;
constexpr bool packed = true;
#endif
#include "common/pipeline.cuh"
#include "common/schedule.h"
#include "direct/patch.cuh"

// What `multiply` needs to know of the patches.
struct Windows : RowWindow {
  static constexpr int channels = stage_channels, lines = stage_rows;
  static __device__ constexpr int k(int c, int line, int tap) { return (line * taps + tap) * stage_channels + c; }
  static __device__ constexpr int offset(int c, int line, int phase) {
    return c * pitch + line * dilation_down * row_floats + phase_offset(phase, row_positions);
  }
};

extern "C" __global__ void __launch_bounds__(threads, resident_blocks)
    direct_cc(const float* __restrict__ x, const float* __restrict__ filter, const float* __restrict__ bias,
              float* __restrict__ y, const Sizes s) {
  extern __shared__ float4 shared[];
  constexpr int slot_count = double_buffer ? 2 : 1;
  constexpr int filter_floats = stage_channels * stage_rows * taps * tile_m, patch_slot = stage_channels * pitch;
  const Slots slots{reinterpret_cast<float*>(shared), reinterpret_cast<float*>(shared) + slot_count * filter_floats,
                    filter_floats, patch_slot};
  Cell* const cells = reinterpret_cast<Cell*>(slots.operand(slot_count));

  const int columns = (s.cog + tile_m - 1) / tile_m;  // tiles of a group's output channels
  const TileIndex tile = tile_of_block(blockIdx.x, columns * s.groups, false);
  const int group = tile.column / columns, first_o = group * s.cog + tile.column % columns * tile_m;
  const int end_o = (group + 1) * s.cog;
  const ThreadPlace place = thread_place();
  const Patch patch(s, tile.row);

  if constexpr (index_precompute) {
    for (int i = threadIdx.x; i < patch_cells; i += threads) cells[i] = patch.cell(s, i);
    __syncthreads();
  }
  int unit_at[thread_units];
#pragma unroll
  for (int k = 0; k < thread_units; ++k) unit_at[k] = patch.unit_at(place.unit + k * threads_n);

  const int stage_count = (s.cig + stage_channels - 1) / stage_channels * (s.hf / stage_rows);
  int next = tile.column * stage_count;  // stage of the filter
  int u = 0, c = 0;
  const auto fetch = [&](int slot) {
    copy_filter<stage_rows * taps>(slots.filter(slot), filter, s, next, first_o, end_o - first_o, c, u * taps);
    patch.copy(s, slots.operand(slot), x, cells, group * s.cig, c, u);
    ++next;
    if ((u += stage_rows) == s.hf) u = 0, c += stage_channels;
  };

  Sums sums;
  start_sums(sums, bias, place, first_o, end_o);
  run_pipeline<Windows>(stage_count, slots, place, unit_at, sums, fetch);
  store_tile<y_layout == (by_images ? CHWN : NCHW)>(
      y, sums, place, first_o, end_o, s, by_images ? s.n : s.wo, slots.filters, [&](int i) { return patch.unit(s, i); },
      pixel_slot);
}
