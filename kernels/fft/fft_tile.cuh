// Which element of x, or tap of w, stands where in a tile.
#pragma once

#include "fft/fft_layer.cuh"
// One of the many real tiles: read(q, r) is the element of the image, or the tap, at (q, r), or zero where there is
// none. Addresses are made before it is known whether something is there, so that a load is one predicated instruction.
class TileReader {
 public:
  // `channel` counts phases as channels; the filter's tiles are its output channels. Not `there`: a tile of zeros.
  __device__ __forceinline__ TileReader(const Element* operand, const Sizes& s, int channel, long long tile, bool there)
      : rows_(rows_of(s)), columns_(columns_of(s)) {
    const int phases_w = columns_.phases(), phases = rows_.phases() * phases_w;
    phase_h_ = channel % phases / phases_w, phase_w_ = channel % phases_w, channel /= phases;
    if constexpr (of_filter) {
      first_ = operand + tile * s.w_o + channel * static_cast<long long>(s.w_c);
      inside_h_ = {0, there ? points_h : 0}, inside_w_ = {0, points_w};
    } else {
      tile_w_ = tile % columns_.tiles(), tile_h_ = tile / columns_.tiles() % rows_.tiles();
      const long long image = tile / columns_.tiles() / rows_.tiles();
      first_ = operand + image * s.x_n + channel * static_cast<long long>(s.x_c) +
               rows_.input(tile_h_, phase_h_, 0) * static_cast<long long>(s.x_h) +
               columns_.input(tile_w_, phase_w_, 0) * static_cast<long long>(s.x_w);
      inside_h_ = rows_.inside(tile_h_, phase_h_), inside_w_ = columns_.inside(tile_w_, phase_w_);
      if (!there) inside_h_ = {0, 0};
    }
  }

  __device__ __forceinline__ float operator()(const Sizes& s, int q, int r) const {
    bool counts = q >= inside_h_.first && q < inside_h_.end && r >= inside_w_.first && r < inside_w_.end;
    const Element* element = first_;
    if constexpr (of_filter) {
      const int u = rows_.tap(phase_h_, q), v = columns_.tap(phase_w_, r);
      counts = counts && u >= 0 && v >= 0;
      element += u * static_cast<long long>(s.w_h) + v * static_cast<long long>(s.w_w);
    } else {
      if (rows_.has_gaps()) counts = counts && rows_.reads(tile_h_, phase_h_, q);
      if (columns_.has_gaps()) counts = counts && columns_.reads(tile_w_, phase_w_, r);
      element += q * step_h * static_cast<long long>(s.x_h) + r * step_w * static_cast<long long>(s.x_w);
    }
    return counts ? to_float(*element) : 0.0f;
  }

 private:
  SpectrumAxis rows_, columns_;
  const Element* first_;  // where (0, 0) is, or would be: it may lie in the padding
  int phase_h_, phase_w_, tile_h_ = 0, tile_w_ = 0;
  SpectrumAxis::Positions inside_h_, inside_w_;
};
