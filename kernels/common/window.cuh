// Windows along a row, as im2win and direct keep them in shared memory: loaded once, they serve all taps of a filter
// row.
//
//   positions     0  1  2  3  4  5  6  7  8 …          stride 1, W_f = 3: the unit of outputs 0 … 3
//   tap 0         └────────┘                           loads 4 + W_f − 1 values for 4·W_f products,
//   tap 1            └────────┘                        and the next unit begins four positions on
//   tap 2               └────────┘
//
// With stride s a row is kept as phases, every s-th column together (`swizzle`): output j's tap v is then at position
// j + ⌊v·d/s⌋ of the phase of the columns ≡ v·d mod s, so that here too neighbours in j are neighbours in memory;
// columns that no tap reads are left out. Without, a unit's window is one run of 3·s + (W_f − 1)·d + 1 floats, and
// units, 4·s floats apart, meet in the same banks.
//
// With `images_across` > 0 a unit is four images of the same pixel, images_across units side by side make a position,
// and each tap loads its four values. That is for CHWN, where images lie together in x, and for rows that are no
// multiple of four.
#pragma once

#include "common/store_tile.cuh"

__device__ constexpr int greatest_common_divisor(int a, int b) { return b == 0 ? a : greatest_common_divisor(b, a % b); }

constexpr bool by_images = images_across > 0;
constexpr int across = by_images ? images_across : 1;  // units side by side at one position
constexpr int unit_columns = by_images ? 1 : 4;        // outputs of a row in a unit
constexpr int position_floats = by_images ? 4 * across : 1;
constexpr int reach = (taps - 1) * dilation + 1;  // columns of a window
constexpr bool split = !by_images && swizzle && stride > 1;
constexpr int period = split ? stride / greatest_common_divisor(stride, dilation) : 1;
constexpr int phases = taps < period ? taps : period;  // tap v reads phase v mod phases
// From a unit to the next, and behind the last unit of a row, in positions; multiples of four where a position is a
// float, so that all windows begin at 16 bytes.
constexpr int step = split ? 4 : !by_images ? 4 * stride : stride < reach ? stride : reach;
constexpr int overhang = split ? (reach - 1) / stride : reach > stride ? reach - stride : 0;
constexpr int halo = by_images ? overhang : (overhang + 3) / 4 * 4;

// The part of `multiply`'s Window that is about columns. `phase_floats` is the distance of two phases.
struct RowWindow {
  static constexpr int taps = ::taps, phases = by_images ? taps : ::phases;
  static constexpr int span = by_images ? 4 : split ? overhang + 4 : 4 * stride + overhang;
  static __device__ constexpr int element(int i, int tap) {
    return by_images ? i : split ? tap * dilation / stride + i : tap * dilation + i * stride;
  }
  static __device__ constexpr int phase_offset(int phase, int phase_floats) {
    return phase * (by_images ? dilation * position_floats : phase_floats);
  }
};

// How far position k of a phase is from a row's first column.
__device__ __forceinline__ int column_at(int k, int phase) {
  if constexpr (split) return k * stride + phase * dilation % stride;
  if constexpr (by_images && stride > reach) return k / reach * stride + k % reach;  // without those that no tap reads
  return k;
}

// A unit's pixels: (n, p, q) and the next three along n or along q.
__device__ __forceinline__ Unit unit_from(const Sizes& s, int n, int p, int q) {
  const bool inside = n < s.n && p < s.ho && q < s.wo;
  Unit unit{{}, !inside ? 0 : by_images ? s.n - n : s.wo - q};
  for (int i = 0; i < 4; ++i) unit.at[i] = pixel_offset(s, n, p, q) + i * (by_images ? s.y_n : s.y_w);
  return unit;
}

// The order in which pixels are neighbours in a row of y, for `store_tile`.
__device__ __forceinline__ int pixel_slot(int unit, int i) { return by_images ? i * units + unit : 4 * unit + i; }

// Where a cell's value lies in x when c and u are 0, and the row of x, far outside where the column is padding.
struct Cell {
  int offset, row;
};
__device__ __forceinline__ Cell cell_from(const Sizes& s, int n, int h, int column) {
  // Cells of no image, and columns that no window needs, hold some element or other.
  const int safe_column = min(max(column, 0), s.wi - 1);
  return {min(n, s.n - copy_floats) * s.x_n + h * s.x_h + safe_column * s.x_w, column == safe_column ? h : -(1 << 30)};
}
