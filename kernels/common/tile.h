// What the tiled rows on CUDA cores decide alike on the host: the shapes of tiles, and how windows lie in shared memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/row.h"

namespace convlens::gpu {

// A block's tile of output channels × pixels, and the part of it that one thread keeps in registers.
struct TileShape {
  int m = 0, n = 0, thread_m = 0, thread_n = 0;

  int threads() const { return m / thread_m * (n / thread_n); }
  int units() const { return n / 4; }  // of four pixels
  std::string text() const;            // "64x128/8x8"
  static std::optional<TileShape> parse(std::string_view text);
};

// Windows along a row in shared memory, by the formulas of kernels/common/window.cuh.
struct RowWindow {
  int images_across = 0;  // 0: a unit is four pixels of a row
  int phases = 1, step = 4, halo = 0, position_floats = 1, copy_floats = 1;

  RowWindow(const Request& request, int images_across);
  int across() const { return images_across > 0 ? images_across : 1; }
  int images() const { return images_across > 0 ? 4 * images_across : 1; }  // of a unit's position
  int unit_columns() const { return images_across > 0 ? 1 : 4; }
};

// The distance of two channels of `floats` floats in shared memory, such that what a warp copies meets no bank twice.
int channel_pitch(const Request& request, int stage_channels, int floats);

// Whether the kernel must ask for each value whether it exists: padding, or channels that don't fill their block.
bool needs_checks(const ConvProblem& problem, int stage_channels);

bool is_on(const Request& request, std::string_view option);

}  // namespace convlens::gpu
