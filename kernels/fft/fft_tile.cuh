// Which element of x, or tap of w, stands where in a tile.
#pragma once

#include "fft/fft_layer.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr bool of_filter = false;
#endif

// Which of the many real tiles: a channel's phase, and where it lies in x, or whose filter it is.
struct TileAt {
  int channel, phase_h, phase_w;  // channel of x, or of w (within the group)
  int image, i, j;                // for the filter: image is the output channel
};

__device__ __forceinline__ TileAt tile_at(const Sizes& s, int channel, long long tile) {
  const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
  const int phases_w = columns.phases(), phases = rows.phases() * phases_w, tiles_w = columns.tiles();
  TileAt at{channel / phases, channel % phases / phases_w, channel % phases_w, static_cast<int>(tile), 0, 0};
  if constexpr (!of_filter)
    at.image = tile / tiles_w / rows.tiles(), at.i = tile / tiles_w % rows.tiles(), at.j = tile % tiles_w;
  return at;
}

// Element (q, r) of a tile: of the image, or zero where no output reads it.
__device__ __forceinline__ float input_element(const float* x, const Sizes& s, const TileAt& at, int q, int r) {
  const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
  const int h = rows.input(at.i, at.phase_h, q), k = columns.input(at.j, at.phase_w, r);
  const bool counts =
      h >= 0 && h < s.hi && k >= 0 && k < s.wi && rows.reads(at.i, at.phase_h, q) && columns.reads(at.j, at.phase_w, r);
  return counts ? x[at.image * static_cast<long long>(s.x_n) + at.channel * static_cast<long long>(s.x_c) +
                    h * static_cast<long long>(s.x_h) + k * static_cast<long long>(s.x_w)]
                : 0.0f;
}

// The tap at (q, r), or zero between taps and beyond them.
__device__ __forceinline__ float filter_element(const float* w, const Sizes& s, const TileAt& at, int q, int r) {
  const int u = rows_of(s).tap(at.phase_h, q), v = columns_of(s).tap(at.phase_w, r);
  return u >= 0 && v >= 0 ? w[at.image * static_cast<long long>(s.w_o) + at.channel * static_cast<long long>(s.w_c) +
                              u * static_cast<long long>(s.w_h) + v * static_cast<long long>(s.w_w)]
                          : 0.0f;
}

__device__ __forceinline__ float element(const float* operand, const Sizes& s, const TileAt& at, int q, int r) {
  return of_filter ? filter_element(operand, s, at, q, r) : input_element(operand, s, at, q, r);
}
