// The patch of x under a tile of y, as direct_tc.cu stages it in shared memory, and how threads fetch it.
//
// A tile is tile_images × tile_rows × tile_columns pixels. Its patch has a position for every (image, row, column) of x
// that a tap of some pixel meets; with `whole_windows` for all H_f filter rows at once, otherwise for one of them, so
// that the patch has just the tile's rows. A position holds
//
//   pieces     64 channels: a swizzled row of 128 bytes, zeros behind the last channel
//   elements   the C_i/groups channels, one behind the other, where there are few of them (`by_elements`)
//
// Padding is stored as zeros, and so is what lies in images behind the last.
#pragma once

#include "common/element.cuh"
#include "common/swizzled_rows.cuh"

constexpr int tile_pixels = tile_images * tile_rows * tile_columns;
constexpr int row_step = whole_windows ? stride_down : 1;  // of a pixel, in rows of the patch
constexpr int patch_rows = (tile_rows - 1) * row_step + (whole_windows ? (taps_down - 1) * dilation_down : 0) + 1;
constexpr int patch_columns = (tile_columns - 1) * stride_across + (taps_across - 1) * dilation_across + 1;
constexpr int patch_positions = tile_images * patch_rows * patch_columns;
constexpr int patch_bytes = (patch_positions * (by_elements ? 2 * few_channels : row_bytes) + 1023) / 1024 * 1024;

// Where a pixel of the tile lies in it; pixels behind the last stand for the first.
struct Pixel {
  int image, row, column;

  __device__ explicit Pixel(int index) {
    if (index >= tile_pixels) index = 0;
    image = index / (tile_rows * tile_columns);
    row = index / tile_columns % tile_rows;
    column = index % tile_columns;
  }
  // The position of its window's first tap in the patch.
  __device__ int position() const {
    return (image * patch_rows + row * row_step) * patch_columns + column * stride_across;
  }
};

// Where a patch begins in x: image, row, column, channel. Rows and columns may lie in the padding.
struct PatchOrigin {
  int n, row, column, c, channels;  // `channels` of x from c on that it holds
};

__device__ __forceinline__ bool exists(const Sizes& s, int n, int row, int column) {
  return n < s.n && static_cast<unsigned>(row) < static_cast<unsigned>(s.hi) &&
         static_cast<unsigned>(column) < static_cast<unsigned>(s.wi);
}

// The rows of a patch for one filter row are stride_down apart in x.
constexpr int rows_apart = whole_windows ? 1 : stride_down;

// Eight channels of a position; what doesn't exist is zero.
__device__ __forceinline__ uint4 fetch_piece(const unsigned short* x, const Sizes& s, const PatchOrigin& from,
                                             int position, int c) {
  const int n = from.n + position / (patch_rows * patch_columns), column = from.column + position % patch_columns;
  const int row = from.row + position / patch_columns % patch_rows * rows_apart;
  const bool there = exists(s, n, row, column);
  const unsigned short* const first = x + n * s.x_n + row * s.x_h + column * s.x_w + (from.c + c) * s.x_c;
  if constexpr (vector_fetch) {  // x is NHWC and C_i/groups a multiple of 8
    const uint4 none = {0, 0, 0, 0};
    return there && c < from.channels ? __ldg(reinterpret_cast<const uint4*>(first)) : none;
  } else {
    unsigned values[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) values[e] = there && c + e < from.channels ? __ldg(first + e * s.x_c) : 0;
    return {values[0] | values[1] << 16, values[2] | values[3] << 16, values[4] | values[5] << 16,
            values[6] | values[7] << 16};
  }
}

// Few channels in NHWC: a row of the patch is a run of x, which warps fetch 32 elements at a time. Each has up to 24
// loads in flight.
template <int threads>
__device__ __forceinline__ void fetch_runs(unsigned short* patch, const unsigned short* x, const Sizes& s,
                                           const PatchOrigin& from, int thread) {
  constexpr int run = patch_columns * few_channels, loads_a_run = (run + 31) / 32, warps = threads / 32;
  constexpr int loads = tile_images * patch_rows * loads_a_run, of_warp = (loads + warps - 1) / warps;
  constexpr int at_once = of_warp < 24 ? of_warp : 24;
  const int lane = thread % 32, column = from.column * few_channels;  // in elements
  for (int first = thread / 32; first < loads; first += at_once * warps) {
    unsigned short values[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int line = (first + k * warps) / loads_a_run, i = (first + k * warps) % loads_a_run * 32 + lane;
      const int n = from.n + line / patch_rows, row = from.row + line % patch_rows;
      const bool inside = i < run && static_cast<unsigned>(column + i) < static_cast<unsigned>(s.wi * few_channels);
      const bool there = first + k * warps < loads && exists(s, n, row, 0);
      values[k] = there && inside ? __ldg(x + n * s.x_n + row * s.x_h + column + i) : 0;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int line = (first + k * warps) / loads_a_run, i = (first + k * warps) % loads_a_run * 32 + lane;
      if (first + k * warps < loads && i < run) patch[line * run + i] = values[k];
    }
  }
}

// By `threads` threads; neighbours fetch neighbours of x.
template <int threads>
__device__ __forceinline__ void fetch_by_threads(unsigned char* patch, const Element* x, const Sizes& s,
                                                 const PatchOrigin& from, int thread) {
  const auto* const values = reinterpret_cast<const unsigned short*>(x);
  if constexpr (by_elements && x_layout == NHWC && single_group) {
    fetch_runs<threads>(reinterpret_cast<unsigned short*>(patch), values, s, from, thread);
  } else if constexpr (by_elements) {
    auto* const elements = reinterpret_cast<unsigned short*>(patch);
#pragma unroll 8
    for (int i = thread; i < patch_positions * few_channels; i += threads) {
      const int position = x_layout == NHWC ? i / few_channels : i % patch_positions;
      const int c = x_layout == NHWC ? i % few_channels : i / patch_positions;
      const int n = from.n + position / (patch_rows * patch_columns), column = from.column + position % patch_columns;
      const int row = from.row + position / patch_columns % patch_rows * rows_apart;
      const int at = n * s.x_n + row * s.x_h + column * s.x_w + (from.c + c) * s.x_c;
      elements[position * few_channels + c] = exists(s, n, row, column) ? __ldg(values + at) : 0;
    }
  } else {
    constexpr int pieces = row_bytes / 16;
#pragma unroll 4
    for (int i = thread; i < patch_positions * pieces; i += threads) {
      const int position = x_layout == NHWC ? i / pieces : i % patch_positions;
      const int piece = x_layout == NHWC ? i % pieces : i / patch_positions;
      *reinterpret_cast<uint4*>(patch + swizzled(position, piece)) = fetch_piece(values, s, from, position, 8 * piece);
    }
  }
}
