// The micro-kernel without vectors, for `simd=off`. The build compiles this file without auto-vectorisation.
#include "algorithms/simd/tile.h"

namespace convlens::simd {

void multiply_scalar(const Tile& t) {
  const int width = tile_width();
  for (std::int64_t i = 0; i < t.pixels; ++i) {
    float sum[kMostWidth];
    for (int j = 0; j < width; ++j) sum[j] = t.bias[j];
    const float* panel = t.panel;
    for (std::int64_t s = 0; s < t.segments; ++s)
      for (std::int64_t k = 0; k < t.length; ++k, panel += width) {
        const float x = t.rows[s * t.pixels + i][k];
        for (int j = 0; j < width; ++j) sum[j] += x * panel[j];
      }
    for (std::int64_t j = 0; j < t.channels; ++j) t.to[i][t.to_offset + j] = sum[j];
  }
}

void multiply_depthwise_scalar(const Tile& t, std::int64_t from) {
  const int width = tile_width();
  for (std::int64_t i = 0; i < t.pixels; ++i)
    for (std::int64_t j = 0; j < t.channels; ++j) {
      float sum = t.bias[j];
      for (std::int64_t s = 0; s < t.segments; ++s) sum += t.rows[s * t.pixels + i][from + j] * t.panel[s * width + j];
      t.to[i][t.to_offset + j] = sum;
    }
}

}  // namespace convlens::simd
