// im2win on CUDA cores: a strip of the im2win tensor is formed in shared memory, and every tap reads its window there.
//
//   Î(n, c, m, k, u) = x(n, c, m·s_h + u·d_h − p_top, k − p_left)
//   y(n, o, m, j)    = bias(o) + Σ_(c,u) Σ_v Î(n, c, m, j·s_w + v·d_w, u) · w(o, c, u, v)
//
//   the strip of one channel and one u: row m of Î, then row m + 1, each with the halo of its last window
//
//     k   0   1   2   3   4   5  …             tap v of output j is at k = j·s_w + v·d_w: a window is a shift of the
//       ┌───┬───┬───┬───┬───┬───┬───┬───┐      strip, and what neighbouring windows share is there once. im2col's tile
//       │ 4 │ 4 │ 4 │ 4 │ 4 │ 4 │ 4 │ 4 │      would hold it W_f times.
//       └───┴───┴───┴───┴───┴───┴───┴───┘
//       └─ v=0 ─────────┘                      "4": a unit of pixels that are loaded, multiplied and stored together,
//           └─ v=1 ─────────┘                  four images of the same pixel or four columns of a row (window.cuh)
//               └─ v=2 ─────────┘
//
// A block computes tile_m output channels × tile_n pixels. Units are counted through rows and images, so that a tile
// runs on from one row and image to the next, and only the last has idle ones. A stage is the strips of
// `stage_channels` channels and one u; while one is multiplied, the next is on its way.
//
// With `stored`, x is the im2win tensor as im2win_transform.cu has stored it, and strips are copied from there: the
// same windows, at the price of a tensor that is written and read. `naive` is the first rung: one_output.cuh.
//
// Source: Lu, Chu & Liu, Euro-Par 2023, arXiv 2306.14316.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 64, tile_n = 128, thread_m = 8, thread_n = 8, stage_channels = 8, min_blocks = 4;
constexpr int taps = 3, stride = 1, dilation = 1, images_across = 1, strip_positions = 36, pitch = 144, copy_floats = 1;
constexpr bool double_buffer = true, swizzle = true, vector_io = true, index_precompute = true, checked = false;
constexpr bool packed = true, stored = false, naive = false;
#endif
#include "common/pipeline.cuh"
#include "common/schedule.h"
#include "im2win/one_output.cuh"
#include "im2win/strip.cuh"

// What `multiply` needs to know of the strips.
struct Windows : RowWindow {
  static constexpr int channels = stage_channels, lines = 1;
  static __device__ constexpr int k(int c, int, int tap) { return tap * channels + c; }
  static __device__ constexpr int offset(int c, int, int phase) {
    return c * pitch + phase_offset(phase, strip_positions);
  }
};

extern "C" __global__ void __launch_bounds__(threads, resident_blocks)
    im2win_cc(const float* __restrict__ x, const float* __restrict__ filter, const float* __restrict__ bias,
              float* __restrict__ y, const Sizes s) {
  if constexpr (naive) {
    one_output(x, filter, bias, y, s);
    return;
  }
  extern __shared__ float4 shared[];
  constexpr int slot_count = double_buffer ? 2 : 1;
  constexpr int filter_floats = stage_channels * taps * tile_m, strip_floats = stage_channels * pitch;
  const Slots slots{reinterpret_cast<float*>(shared), reinterpret_cast<float*>(shared) + slot_count * filter_floats,
                    filter_floats, strip_floats};
  Cell* const cells = reinterpret_cast<Cell*>(slots.operand(slot_count));

  const int columns = (s.cog + tile_m - 1) / tile_m;  // tiles of a group's output channels
  const TileIndex tile = tile_of_block(blockIdx.x, columns * s.groups, false);
  const int group = tile.column / columns, first_o = group * s.cog + tile.column % columns * tile_m;
  const int end_o = (group + 1) * s.cog;
  const ThreadPlace place = thread_place();
  const Strip strip(s, tile.row);

  if constexpr (index_precompute) {
    for (int i = threadIdx.x; i < strip_cells; i += threads) cells[i] = strip.cell(s, i);
    __syncthreads();
  }
  int unit_at[thread_units];
#pragma unroll
  for (int k = 0; k < thread_units; ++k) unit_at[k] = strip.unit_at(place.unit + k * threads_n);

  const int stage_count = (s.cig + stage_channels - 1) / stage_channels * s.hf;
  int next = tile.column * stage_count;  // stage of the filter
  int u = 0, c = 0;
  const auto fetch = [&](int slot) {
    copy_filter<taps>(slots.filter(slot), filter, s, next, first_o, end_o - first_o, c, u * taps);
    strip.copy(s, slots.operand(slot), x, cells, group * s.cig, c, u);
    ++next;
    if (++u == s.hf) u = 0, c += stage_channels;
  };

  Sums sums;
  start_sums(sums, bias, place, first_o, end_o);
  run_pipeline<Windows>(stage_count, slots, place, unit_at, sums, fetch);
  store_tile<y_layout == (by_images ? CHWN : NCHW)>(
      y, sums, place, first_o, end_o, s, by_images ? s.n : s.wo, slots.filters, [&](int i) { return strip.unit(s, i); },
      pixel_slot);
}
