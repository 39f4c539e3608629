// Where the strips of a tile lie in x and in shared memory.
//
// A tile's units are counted through rows and images. The units of one row share a piece of strip:
//
//   ┌──── row m₀, from column 4·first ────┬halo┬──── row m₀+1 ────┬halo┬─ …
//   unit 0, unit 1, …                          unit i, …
//
// so unit i begins at i·step + (rows before it)·halo, and position t of the strip is found by one division.
#pragma once

#include "common/fetch.cuh"
#include "common/window.cuh"

// The distances in memory of what a strip is made of: of x itself, or of the stored im2win tensor, whose cells
// (n, c, m, k, u) have settled stride, dilation and padding of rows (im2win_transform.cu).
struct Source {
  int n, c, m, k, u;
};
__device__ __forceinline__ Source source_of(const Sizes& s) {
  if constexpr (!stored) return {s.x_n, s.x_c, s.stride_h * s.x_h, s.x_w, s.dilation_h * s.x_h};
  const int width = (s.wo - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;  // W̃
  const int u = x_layout == NHWC ? s.ci : x_layout == CHWN ? s.n : 1, k = s.hf * u, m = width * k, all = s.ho * m;
  if constexpr (x_layout == NHWC) return {all, 1, m, k, u};
  if constexpr (x_layout == CHWN) return {1, all, m, k, u};
  return {s.ci * all, all, m, k, u};
}

constexpr int strip_cells = phases * strip_positions * position_floats / copy_floats;

struct Strip {
  int per_row, first_row, first;  // groups of `across` units a row; the tile's first row, and first group in it

  __device__ Strip(const Sizes& s, int tile) {
    per_row = (s.wo + unit_columns - 1) / unit_columns;
    const int group = tile * (units / across);
    first_row = group / per_row, first = group % per_row;
  }

  // Where unit i's windows begin in a strip, in floats.
  __device__ int unit_at(int i) const {
    const int group = i / across, rows_before = (first + group) / per_row;
    return (group * step + rows_before * halo) * position_floats + i % across * 4;
  }

  __device__ Unit unit(const Sizes& s, int i) const {
    const int group = first + i / across, row = first_row + group / per_row;
    const int n = by_images ? (row / s.ho * across + i % across) * 4 : row / s.ho;
    return unit_from(s, n, row % s.ho, group % per_row * unit_columns);
  }

  __device__ Cell cell(const Sizes& s, int index) const {
    const int at = index * copy_floats;
    const int image = by_images ? at % position_floats : 0, phase = by_images ? 0 : at / strip_positions;
    int k = by_images ? at / position_floats : at % strip_positions;
    int row = first_row;
    if (const int in_first = step * (per_row - first) + halo; k < in_first) {
      k += step * first;
    } else {
      const int in_row = step * per_row + halo;
      row += 1 + (k - in_first) / in_row, k = (k - in_first) % in_row;
    }
    const int n = row / s.ho * (by_images ? 4 * across : 1) + image;
    const int m = row % s.ho, column = column_at(k, phase);
    if constexpr (stored) {
      const Source source = source_of(s);
      const int last = (s.wo - 1) * s.stride_w + reach - 1;
      return {min(n, s.n - copy_floats) * source.n + m * source.m + min(column, last) * source.k, 0};
    }
    return cell_from(s, n, m * s.stride_h - s.pad_top, column - s.pad_left);
  }

  // Copies row u of the channels c … c + stage_channels − 1 of a group that begins at `first_channel`.
  __device__ void copy(const Sizes& s, float* to, const float* x, const Cell* cells, int first_channel, int c,
                       int u) const {
    const Source source = source_of(s);
    const int shift = stored ? 0 : u * s.dilation_h;
    const auto cell_at = [&](int i) { return index_precompute ? cells[i] : cell(s, i); };
    const auto inside = [&](const Cell& at) {
      return static_cast<unsigned>(at.row + shift) < static_cast<unsigned>(s.hi);
    };
    ChannelCopy<strip_cells, copy_floats, pitch>::copy(to, x, (first_channel + c) * source.c + u * source.u, source.c,
                                                       s.cig - c, cell_at, inside);
  }
};
