// What the tiled rows on CUDA cores decide alike on the host: the shapes of tiles, and how windows lie in shared
// memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/row.h"

namespace convlens::gpu {

// A block's tile of output channels × pixels, and the part of it that one thread keeps in registers.
struct TileShape {
  int m = 0, n = 0, thread_m = 0, thread_n = 0;
  int resident = 512;  // threads whose registers a multiprocessor has: 128 each, or 168 each of 384

  int threads() const { return m / thread_m * (n / thread_n); }
  int units() const { return n / 4; }                  // of four pixels
  std::int64_t staged_bytes() const;                   // of shared memory, for what is stored by rows (store_tile.cuh)
  int blocks() const { return resident / threads(); }  // of a multiprocessor
  std::string text() const;                            // "64x128/8x8"
  static TileShape parse(std::string_view text);
};

// Windows along a row in shared memory, by the formulas of kernels/common/window.cuh.
struct RowWindow {
  int images_across = 0;  // 0: a unit is four pixels of a row
  int position_floats = 1, copy_floats = 1;
  std::int64_t stride = 1, phases = 1, step = 4, halo = 0;  // too large for a block's memory, perhaps, but no overflow
  std::int64_t loads = 1;                                   // of four values, for all taps of a unit's row

  RowWindow(const Request& request, int images_across);
  bool by_images() const { return images_across > 0; }
  int across() const { return by_images() ? images_across : 1; }
  int images() const { return by_images() ? 4 * images_across : 1; }  // in a position
  int unit_columns() const { return by_images() ? 1 : 4; }
};

// What a block does for one line: a channel's filter row, or one value of k.
struct LineCost {
  double values = 1;        // of k
  double window_loads = 1;  // by a thread, of four values for a unit
  double copies = 0;        // from global to shared memory
  double floats = 0;        // copied by them
};

// The time of a kernel, up to a factor, by count: the slots of the schedulers that multiply-adds, loads and copies
// take, and the bytes to and from the L2 cache. Tiles are dealt to the 132 multiprocessors of an H200 in whole rounds,
// and fewer resident warps hide less. `by_columns`: units are four pixels of a row; `row_pixels`: the tile's pixels
// that lie together in a row of y.
double cost(const Request& request, const TileShape& tile, std::int64_t tiles, std::int64_t shared_bytes,
            std::int64_t lines, const LineCost& line, bool by_columns, std::int64_t row_pixels);

// The distance of two channels of `floats` floats in shared memory, such that what a warp copies meets no bank twice.
std::int64_t channel_pitch(const Request& request, int stage_channels, std::int64_t floats);

// Whether the kernel must ask of each value whether it exists: padding, or channels that don't fill their block.
bool needs_checks(const ConvProblem& problem, int stage_channels);

// How many channels make a stage when each brings `taps` values of k: at most 48 values, few idle channels, and no more
// than what lets as many blocks as have registers have their `shared_bytes(channels)` too.
int stage_channels(const ConvProblem& problem, const TileShape& tile, int taps,
                   const std::function<std::int64_t(int)>& shared_bytes);

bool is_on(const Request& request, std::string_view option);

// Options that the tiled rows share: tile, vector_io, double_buffer, index_precompute, pack_filter, sizes; and swizzle,
// for windows.
std::vector<Option> tile_options();
Option swizzle_option();
Option tiling_option();  // registers | naive
Option unit_option();    // auto | columns | images

// The rungs from plain code to the default, as named option sets: each adds one idea to the one before. A row without
// tiling=naive has no first rung.
std::vector<NamedOptions> ladder(bool has_naive);

// The shapes that `tile` allows: the one that is named, or those that suit the layer's output channels.
std::vector<TileShape> candidate_tiles(const Request& request);

// How many stages of operands are in shared memory at once: two with a double buffer.
int slot_count(const Request& request);

// The constants that kernels/common/ expects of every tiled kernel.
std::vector<Constant> tile_constants(const Request& request, const TileShape& tile, int stage_channels,
                                     std::int64_t pitch, int copy_floats);
std::vector<Constant> window_constants(const Request& request, const RowWindow& window);

// Offsets in x and y are ints in these kernels.
Rule int_indices();

// Throws Unsupported when a block of `launch` asks for more shared memory than every architecture has.
void check_shared_memory(const Launch& launch);

}  // namespace convlens::gpu
