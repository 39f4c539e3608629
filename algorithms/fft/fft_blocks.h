// Convolution by FFT over blocks of tiles and panels of filters, in one of two orders.
//
//   tiles    for each block: X̂; for each panel: Ŷ, y      all panels first; X̂ and Ŷ exist for a block a thread
//   panels   for each panel: P; for each block: Ŷ, y      all of X̂ first; P exists for a panel, Ŷ for a block, a thread
//
// What is outermost is shared out between threads. Each output passes through the same sums in both orders.
//
// In memory the bins of X̂ and Ŷ are outermost and the channels innermost: all real parts of a bin and tile, then all
// imaginary ones.
#pragma once

#include "algorithms/fft/fft_map.h"
#include "algorithms/fft/fft_panels.h"
#include "algorithms/interface/stage.h"
#include "algorithms/simd/tile_blocks.h"
#include "algorithms/tensor/view.h"

namespace convlens::fft {

enum class BlockOrder : std::uint8_t { tiles, panels };

// What is settled when the plan is made. The stages say what of them is in memory at a time, and how many copies.
struct BlockSetting {
  ConvProblem problem;
  std::int64_t length;  // of a tile
  InputSpectrumMap map;
  SpectrumPanels panels;
  simd::TileBlocking blocking;
  BlockOrder order;
  Stage x_hat, y_hat, p;
  bool vectors;
  std::int64_t step;  // tiles that a register tile holds
  int threads;
};

// What one run reads and writes: x in NHWC, C_o biases, as many zeros as a panel is wide, and memory for the stages;
// for −Re X̂, a float a cell of X̂; and for SpectrumPanels::gathered_floats() a thread.
struct BlockArguments {
  View<const float> x, w;
  View<float> y;
  const float *bias, *zeros;
  float *x_hat, *negated, *y_hat, *p, *gathered;
};

void run_blocks(const BlockSetting& setting, const BlockArguments& arguments);

}  // namespace convlens::fft
