// How direct.tc cuts y into tiles, and what a block keeps in shared memory; the formulas of
// kernels/direct/staged_patch.cuh, direct_tc.cu and direct_mma.cu.
#pragma once

#include <optional>
#include <string>

#include "kernels/program.h"

namespace convlens::gpu {

inline constexpr int kMmaPixels = 128;  // of a tile, with instructions=mma
inline constexpr int kMostBox = 256;    // of a tile of the copy engine, along each axis

// A block's tile of images × rows × columns × output channels, and the patch under it.
struct DirectTiling {
  bool by_tma = true, by_elements = false, whole_windows = true;
  int tile_n = 64, m_tiles = 2;
  std::int64_t images = 1, rows = 1, columns = 1;
  std::int64_t patch_rows = 1, patch_columns = 1, patch_bytes = 0;
  int patch_slots = 2, filter_slots = 0;
  bool by_mma = false;  // instructions=mma: one patch, rows of the filter 16 bytes apart

  void lay_out(const ConvProblem& problem);  // the patch, from the tile

  std::int64_t pixels() const { return images * rows * columns; }
  std::int64_t positions() const { return images * patch_rows * patch_columns; }  // of the patch
  int fetching_threads() const { return by_elements && m_tiles == 1 && tile_n <= 96 ? 256 : 128; }
  std::int64_t steps(const ConvProblem& problem) const;  // of 16 values of k
  std::int64_t shared_bytes(const ConvProblem& problem) const;
  std::int64_t channel_tiles(const ConvProblem& problem) const;
  std::int64_t tiles(const ConvProblem& problem) const;
  bool within_box(const ConvProblem& problem) const;
  Box box(const ConvProblem& problem, std::int64_t tile) const;

  // Cycles, up to a factor; `conflicts` is how often a warp's read of eight neighbouring pixels meets a bank of shared
  // memory, 1 at best.
  double cost(const ConvProblem& problem, double conflicts) const;
  double conflicts(const ConvProblem& problem) const;  // the mean of the tile
};

// Why the copy engine cannot fetch patches, or "".
std::string why_no_patches_by_tma(const Request& request);

// Of all tiles that the options allow and that fit, what costs least.
std::optional<DirectTiling> choose_direct_tiling(const Request& request);

}  // namespace convlens::gpu
