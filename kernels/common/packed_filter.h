// The filter in the order in which the tiled kernels on CUDA cores read it, and the launch that packs it so.
//
//   packed[g·B + b][block of channels][group of taps][tap][c][m] = w(o = g·C_o/G + b·tile_m + m, c, u, v)
//
// with t = u·W_f + v counted through the taps, and B = ⌈(C_o/G)/tile_m⌉ tiles a group. A block of channels and a group
// of taps are one stage of the kernel's loop. What is beyond C_o/G, C_i/G or the taps is zero.
#pragma once

#include "algorithms/interface/stage.h"
#include "kernels/program.h"

namespace convlens::gpu {

struct PackedFilter {
  int tile_m = 1, stage_channels = 1, stage_taps = 1;

  std::int64_t tiles(const ConvProblem& problem) const;   // G·B, the tiles of output channels
  std::int64_t stages(const ConvProblem& problem) const;  // of k: blocks of channels times groups of taps
  int stage_floats() const { return tile_m * stage_channels * stage_taps; }

  // The output channels of `block`'s tile, and its row of tiles, by schedule.h.
  struct BlockTile {
    std::int64_t first_o, channels, row;
  };
  BlockTile tile_of(const ConvProblem& problem, const Dim3& block) const;

  // With pack_filter=off none of this exists, and the kernel reads w itself.
  Stage stage(const Request& request) const;              // "filter"
  std::vector<Step> steps(const Request& request) const;  // w → buffer "filter"
  static Argument argument(const Request& request);       // the buffer, or w
};

}  // namespace convlens::gpu
