// The passes of Winograd over blocks of tiles and panels of filters, as simd/tile_loop.h orders them.
#pragma once

#include "algorithms/interface/stage.h"
#include "algorithms/simd/tile_loop.h"
#include "algorithms/tensor/view.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/vector_sandwich.h"
#include "algorithms/winograd/winograd_panels.h"

namespace convlens {

// What is settled when the plan is made. The stages say what of them is in memory at a time, and how many copies.
struct BlockSetting {
  ConvProblem problem;
  std::shared_ptr<const Nested> nested;
  WinogradPanels panels;
  VectorSandwich input, filter, output;
  simd::TileBlocking blocking;
  simd::TileOrder order;
  Stage v, m, p;
  bool simd, prefetch;
  std::int64_t step;  // the most tiles that a register tile holds
  int threads;
};

// What one run reads and writes: x in NHWC, C_o biases, zeros for at least C_i and a panel's width, and memory for the
// stages V, M and P.
struct BlockArguments {
  View<const float> x, w;
  View<float> y;
  const float *bias, *zeros;
  float *v, *m, *p;
};

void run_blocks(const BlockSetting& setting, const BlockArguments& arguments);

}  // namespace convlens
