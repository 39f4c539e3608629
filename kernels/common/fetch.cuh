// From global to shared memory: stages of the filter, and channels of x for the cells of a tile.
#pragma once

#include "common/copy_async.cuh"
#include "common/register_tile.cuh"

// `count` floats, a multiple of 4, by all threads.
template <int count>
__device__ __forceinline__ void copy_run(float* to, const float* from) {
  constexpr int width = vector_io ? 4 : 1;
#pragma unroll
  for (int i = 0; i < count; i += threads * width) {
    const int at = i + threadIdx.x * width;
    if (i + threads * width <= count || at < count) copy_async<width>(to + at, from + at);
  }
}

// One stage of the filter: for each of its values of k, by (tap, c), the output channels of a tile. A run where the
// filter is `packed`, else value by value from w, as pack_filter.cu lays them out: `outputs` of the tile's channels
// exist from `o` on; the stage begins at input channel c of the group and at tap t.
template <int stage_taps>
__device__ __forceinline__ void copy_filter(float* to, const float* filter, const Sizes& s, int stage, int o,
                                            int outputs, int c, int t) {
  constexpr int count = stage_channels * stage_taps * tile_m;
  if constexpr (packed) {
    copy_run<count>(to, filter + stage * count);
  } else {
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += threads) {
      const int m = i % tile_m, row = c + i / tile_m % stage_channels, tap = t + i / tile_m / stage_channels;
      const bool inside = m < outputs && row < s.cig && tap < s.hf * s.wf;
      const int at = (o + m) * s.w_o + row * s.w_c + tap / s.wf * s.w_h + tap % s.wf * s.w_w;
      copy_async<1>(to + i, filter + (inside ? at : 0), inside);
    }
  }
}

// Copies `stage_channels` channels of x for each of `cells` cells, runs of `width` floats: channel c of cell i goes to
// to[c·pitch + i·width].
//
// Threads take `channel_lanes` channels at a time. In NHWC channels lie together in x, so neighbouring lanes take
// neighbouring channels; otherwise neighbouring lanes take neighbouring cells, and the number of channels is the one
// that keeps the fewest lanes idle.
template <int cells, int width, int pitch>
struct ChannelCopy {
  static __device__ constexpr int rounds(int lanes) {
    const int cell_lanes = threads / lanes;
    return (cells + cell_lanes - 1) / cell_lanes * ((stage_channels + lanes - 1) / lanes);
  }
  static __device__ constexpr int best_channel_lanes() {
    if (x_layout == NHWC) return stage_channels % 8 == 0 ? 8 : stage_channels % 4 == 0 ? 4 : 1;
    int best = 1;
    for (int lanes = 2; threads % (32 * lanes) == 0; lanes *= 2)
      if (rounds(lanes) < rounds(best)) best = lanes;
    return best;
  }
  static constexpr int channel_lanes = best_channel_lanes(), cell_lanes = threads / channel_lanes;

  // `base` is the offset in x of channel 0 of the stage for a cell with offset 0; channels are `channel_step` apart,
  // and there are `left` from there on. `cell_at(i)` has the cell's `offset`, and `inside(cell)` says whether it is in
  // the image.
  template <class CellAt, class Inside>
  static __device__ __forceinline__ void copy(float* to, const float* x, int base, int channel_step, int left,
                                              CellAt cell_at, Inside inside) {
    constexpr int lane_cells = (cells + cell_lanes - 1) / cell_lanes;
    const int channel_lane = x_layout == NHWC ? threadIdx.x % channel_lanes : threadIdx.x / cell_lanes;
    const int cell_lane = x_layout == NHWC ? threadIdx.x / channel_lanes : threadIdx.x % cell_lanes;
    to += channel_lane * pitch + cell_lane * width;
    base += channel_lane * channel_step;

    // First some offsets, then their copies: each change from loads of shared memory to such copies costs slots.
    constexpr int together = !index_precompute ? 1 : width == 4 ? 2 : 4;
#pragma unroll
    for (int first = 0; first < lane_cells; first += together) {
      int offset[together];
      bool here[together];
#pragma unroll
      for (int k = first; k < lane_cells && k < first + together; ++k) {
        const int i = k * cell_lanes + cell_lane;
        if ((k + 1) * cell_lanes > cells && i >= cells) continue;
        const auto cell = cell_at(i);
        offset[k - first] = base + cell.offset;
        here[k - first] = !checked || inside(cell);
      }
#pragma unroll
      for (int k = first; k < lane_cells && k < first + together; ++k) {
        if ((k + 1) * cell_lanes > cells && k * cell_lanes + cell_lane >= cells) continue;
#pragma unroll
        for (int c = 0; c < stage_channels; c += channel_lanes) {
          if (stage_channels % channel_lanes != 0 && c + channel_lane >= stage_channels) continue;
          const bool inside_here = here[k - first] && (!checked || c + channel_lane < left);
          copy_async<width>(to + c * pitch + k * cell_lanes * width,
                            x + (inside_here ? offset[k - first] + c * channel_step : 0), inside_here);
        }
      }
    }
  }
};
