// The three passes of Winograd over blocks of tiles: one after the other for each block, or each over all blocks.
#pragma once

#include "algorithms/interface/stage.h"
#include "algorithms/tensor/view.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/tile_blocks.h"
#include "algorithms/winograd/vector_sandwich.h"
#include "algorithms/winograd/winograd_panels.h"

namespace convlens {

// What is settled when the plan is made. `step` is how many tiles a register tile holds.
struct BlockSetting {
  ConvProblem problem;
  std::shared_ptr<const Nested> nested;
  WinogradPanels panels;
  VectorSandwich input, filter, output;
  TileBlocking blocking;
  Stage v, m;
  bool stored, simd, prefetch;
  std::int64_t step;
  int threads;
};

// What one run reads and writes: x in NHWC, panels, C_o biases, zeros for at least C_i and a panel's width, and memory
// for the stages V and M.
struct BlockArguments {
  View<const float> x;
  View<float> y;
  const float *panels, *bias, *zeros;
  float *v, *m;
};

void run_blocks(const BlockSetting& setting, const BlockArguments& arguments);

}  // namespace convlens
