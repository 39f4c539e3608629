// Convolution by FFT: the passes over blocks of tiles and panels of filters, as simd/tile_loop.h orders them.
//
// In memory the bins of X̂ and Ŷ are outermost and the channels innermost: all real parts of a bin and tile, then all
// imaginary ones.
#pragma once

#include "algorithms/fft/fft_map.h"
#include "algorithms/fft/fft_panels.h"
#include "algorithms/interface/stage.h"
#include "algorithms/simd/tile_loop.h"
#include "algorithms/tensor/view.h"

namespace convlens::fft {

// What is settled when the plan is made. The stages say what of them is in memory at a time, and how many copies.
struct BlockSetting {
  ConvProblem problem;
  std::int64_t length;  // of a tile
  InputSpectrumMap map;
  SpectrumPanels panels;
  simd::TileBlocking blocking;
  simd::TileOrder order;
  Stage x_hat, y_hat, p;
  bool vectors;
  std::int64_t step;  // the most tiles that a register tile holds
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
