// The passes of Winograd over blocks of tiles and panels of filters, in one of three orders.
//
//   tiles    for each block: V; for each panel: M, y      all of P first; V and M exist for a block a thread
//   panels   for each panel: P; for each block: M, y      all of V first; P exists for a panel, M for a block, a thread
//   stored   all of V, all of P, all of M, then y         the passes of winograd.ref
//
// What is outermost is shared out between threads. Each output passes through the same sums in every order.
#pragma once

#include "algorithms/interface/stage.h"
#include "algorithms/simd/tile_blocks.h"
#include "algorithms/tensor/view.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/vector_sandwich.h"
#include "algorithms/winograd/winograd_panels.h"

namespace convlens {

enum class BlockOrder : std::uint8_t { tiles, panels, stored };

// What is settled when the plan is made. The stages say what of them is in memory at a time, and how many copies.
struct BlockSetting {
  ConvProblem problem;
  std::shared_ptr<const Nested> nested;
  WinogradPanels panels;
  VectorSandwich input, filter, output;
  simd::TileBlocking blocking;
  BlockOrder order;
  Stage v, m, p;
  bool simd, prefetch;
  std::int64_t step;  // tiles that a register tile holds
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
