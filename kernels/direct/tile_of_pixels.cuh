// Which tile of y a block of direct_tc.cu or direct_mma.cu computes, and the patches that make it.
#pragma once

#include "common/schedule.h"
#include "direct/fragments.cuh"

constexpr int filter_rows_a_patch = whole_windows ? taps_down : 1;
// Blocks of 64 values of k that a patch is multiplied by, for each block of channels.
constexpr int blocks_a_patch = by_elements ? (Elements::reduction + 63) / 64 : filter_rows_a_patch * taps_across;

// One tile of y.
struct Tile {
  int group, first_o, end_o, n, p, q;

  __device__ Tile(const Sizes& s, int index) {
    const int columns = (s.cog + tile_n - 1) / tile_n;
    const TileIndex at = tile_of_block(index, columns * s.groups, false);
    group = at.column / columns;
    first_o = group * s.cog + at.column % columns * tile_n;
    end_o = min(first_o + tile_n, (group + 1) * s.cog);
    q = at.row % across(s) * tile_columns;
    p = at.row / across(s) % down(s) * tile_rows;
    n = at.row / across(s) / down(s) * tile_images;
  }
  static __device__ int across(const Sizes& s) { return (s.wo + tile_columns - 1) / tile_columns; }
  static __device__ int down(const Sizes& s) { return (s.ho + tile_rows - 1) / tile_rows; }
  static __device__ int count(const Sizes& s) {
    const int columns = (s.cog + tile_n - 1) / tile_n * s.groups;
    return columns * across(s) * down(s) * ((s.n + tile_images - 1) / tile_images);
  }
  // Where channel 0 of the tile's pixel `index` lies in y, or −1 where there is no such pixel.
  __device__ int offset_in_y(const Sizes& s, int index) const {
    const Pixel at(index);
    const int image = n + at.image, row = p + at.row, column = q + at.column;
    return index < tile_pixels && image < s.n && row < s.ho && column < s.wo
               ? image * s.y_n + row * s.y_h + column * s.y_w
               : -1;
  }
};

// What of k a patch holds: channels from c on, filter rows from u on.
struct PatchOfK {
  int c, u;

  __device__ PatchOfK(int index) {
    constexpr int down = taps_down / filter_rows_a_patch;
    c = index / down * row_elements;
    u = index % down * filter_rows_a_patch;
  }
  static __device__ int count(const Sizes& s) {
    return by_elements ? 1 : (s.cig + row_elements - 1) / row_elements * (taps_down / filter_rows_a_patch);
  }
  // Steps of 16 in a block: an even number, so that the registers of fragments alternate.
  __device__ int steps(const Sizes& s, int block) const {
    const int values = by_elements ? Elements::reduction - block * row_elements : s.cig - c;
    return values > 32 ? 4 : 2;
  }
};

__device__ __forceinline__ PatchOrigin patch_origin(const Sizes& s, const Tile& tile, const PatchOfK& of) {
  return {tile.n, tile.p * s.stride_h - s.pad_top + of.u * dilation_down, tile.q * s.stride_w - s.pad_left,
          tile.group * s.cig + of.c, s.cig - of.c};
}
