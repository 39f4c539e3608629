// The micro-kernel without vectors, for `simd=off`. The build compiles this file without auto-vectorisation.
#include "algorithms/simd/tile.h"

namespace convlens::simd {

namespace {

// The values of one k of all output channels: in the panel, or read from w into `apart`.
const float* filter_row(const Tile& t, std::int64_t k, int width, float* apart) {
  if (t.panel != nullptr) return t.panel + k * width;
  for (std::int64_t j = 0; j < t.channels; ++j) apart[j] = t.filter(k, j);
  return apart;
}

}  // namespace

void multiply_scalar(const Tile& t) {
  const int width = tile_width();
  for (std::int64_t i = 0; i < t.pixels; ++i) {
    float* const to = t.to[i] + t.to_offset;
    float sum[kMostWidth], apart[kMostWidth];
    for (std::int64_t j = 0; j < t.channels; ++j) sum[j] = t.add ? 0 : t.bias[j];
    for (std::int64_t s = 0, row = 0; s < t.segments; ++s)
      for (std::int64_t k = 0; k < t.length; ++k, ++row) {
        const float x = t.rows[s * t.pixels + i][k];
        const float* const w = filter_row(t, row, width, apart);
        for (std::int64_t j = 0; j < t.channels; ++j) sum[j] += x * w[j];
      }
    for (std::int64_t j = 0; j < t.channels; ++j) to[j] = t.add ? to[j] + sum[j] : sum[j];
  }
}

void multiply_depthwise_scalar(const Tile& t, std::int64_t from) {
  const int width = tile_width();
  float apart[kMostWidth];
  for (std::int64_t i = 0; i < t.pixels; ++i) {
    float* const to = t.to[i] + t.to_offset;
    for (std::int64_t j = 0; j < t.channels; ++j) to[j] = t.bias[j];
    for (std::int64_t s = 0; s < t.segments; ++s) {
      const float* const w = filter_row(t, s, width, apart);
      for (std::int64_t j = 0; j < t.channels; ++j) to[j] += t.rows[s * t.pixels + i][from + j] * w[j];
    }
  }
}

}  // namespace convlens::simd
