// Where the patch of x under a tile lies in x and in shared memory.
//
// A tile is images_across units of four images (or one image) × tile_rows rows × tile_columns columns of units. In
// shared memory a channel's patch is [row][phase][position], and with units of images [row][column][unit of images]
// [image].
#pragma once

#include "common/fetch.cuh"
#include "common/window.cuh"

static_assert(across * tile_rows * tile_columns <= units, "a tile has units for its pixels, and perhaps some to spare");

constexpr int row_positions = tile_columns * step + halo;
constexpr int row_floats = row_positions * phases * position_floats;
// A stage of one filter row needs only the rows that it meets.
constexpr int row_step = stage_rows == 1 ? stride_down : 1;
constexpr int patch_rows = ((tile_rows - 1) * stride_down + (stage_rows - 1) * dilation_down) / row_step + 1;
constexpr int patch_floats = patch_rows * row_floats, patch_cells = patch_floats / copy_floats;

struct Patch {
  int n, p, q;  // the tile's first image, and its first output row and column

  __device__ Patch(const Sizes& s, int tile) {
    constexpr int columns = tile_columns * unit_columns;
    const int across_q = (s.wo + columns - 1) / columns, across_p = (s.ho + tile_rows - 1) / tile_rows;
    q = tile % across_q * columns, p = tile / across_q % across_p * tile_rows;
    n = tile / across_q / across_p * (by_images ? 4 * across : 1);
  }

  // Where unit i's windows begin in a channel's patch.
  __device__ int unit_at(int i) const {
    const int place = min(i / across, tile_rows * tile_columns - 1);  // units to spare do as the last one
    const int row = place / tile_columns, column = place % tile_columns;
    return row * (stride_down / row_step) * row_floats + column * step * position_floats + i % across * 4;
  }

  __device__ Unit unit(const Sizes& s, int i) const {
    const int place = i / across;
    Unit unit = unit_from(s, n + (by_images ? i % across * 4 : 0), p + place / tile_columns,
                          q + place % tile_columns * unit_columns);
    if (place >= tile_rows * tile_columns) unit.count = 0;
    return unit;
  }

  __device__ Cell cell(const Sizes& s, int index) const {
    const int at = index * copy_floats, row = at / row_floats, in_row = at % row_floats;
    const int image = by_images ? in_row % position_floats : 0, phase = by_images ? 0 : in_row / row_positions;
    const int k = by_images ? in_row / position_floats : in_row % row_positions;
    int h = p * stride_down + row * row_step - s.pad_top;
    // Without padding, rows below the image are those of outputs that don't exist.
    if (!checked) h = min(h, s.hi - 1 - (s.hf - stage_rows) * s.dilation_h);
    return cell_from(s, n + image, h, q * stride + column_at(k, phase) - s.pad_left);
  }

  // Copies what filter rows u … u + stage_rows − 1 read of the channels c … of a group that begins at `first_channel`.
  __device__ void copy(const Sizes& s, float* to, const float* x, const Cell* cells, int first_channel, int c,
                       int u) const {
    const int shift = u * s.dilation_h;
    const auto cell_at = [&](int i) { return index_precompute ? cells[i] : cell(s, i); };
    const auto inside = [&](const Cell& at) {
      return static_cast<unsigned>(at.row + shift) < static_cast<unsigned>(s.hi);
    };
    ChannelCopy<patch_cells, copy_floats, pitch>::copy(to, x, (first_channel + c) * s.x_c + shift * s.x_h, s.x_c,
                                                       s.cig - c, cell_at, inside);
  }
};
