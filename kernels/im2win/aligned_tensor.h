// The im2win tensor as tensor cores read it, and the filter beside it: windows that begin at multiples of 16 bytes.
//
//   Î(n, g, m, k, r) = x(n, g·C + r mod C, m·s_h + (r div C)·d_h − p_top, k − p_left)     r < H_f·C,   C = C_i/groups
//   F(g, o, v·column + r) = w(g·C_o/groups + o, r mod C, r div C, v)
//
// Channels are the fastest axis and groups have rows of their own, so that a window is one run of K = W_f·column
// elements. Zeros fill up columns (r ≥ H_f·C) and rows (k ≥ W̃): the least that makes every window and every row begin
// at a multiple of eight elements, and, where dilation takes a window apart, every column too.
#pragma once

#include <cstdint>

#include "algorithms/interface/stage.h"
#include "kernels/program.h"

namespace convlens::gpu {

struct AlignedTensor {
  std::int64_t column = 1, columns = 1;  // elements of a column, columns of a row, zeros included
  bool contiguous = true;                // a window is one run

  explicit AlignedTensor(const ConvProblem& problem);

  std::int64_t window(const ConvProblem& problem) const { return problem.wf() * column; }  // K, zeros included
  Stage tensor_stage(const Request& request) const;                                        // "im2win"
  std::int64_t zeros(const ConvProblem& problem) const;                                    // elements, for alignment
  Launch tensor_launch(const Request& request) const;                                      // x → buffer "im2win"

  // The filter in tiles of tile_m rows and slices of tile_k columns.
  std::int64_t filter_rows(const ConvProblem& problem, int tile_m) const;  // of a group
  std::int64_t filter_pitch(const ConvProblem& problem, int tile_k) const;
  Stage filter_stage(const Request& request, int tile_m, int tile_k) const;    // "filter"
  Launch filter_launch(const Request& request, int tile_m, int tile_k) const;  // w → buffer "filter"

  // The kernel with the sizes column, columns, window, window_pitch and filter_rows besides the layer's.
  Kernel with_sizes(Kernel kernel, const ConvProblem& problem, int tile_m, int tile_k) const;

  // Where eight elements of a window, from element 8·i, lie behind its first, in runs of eight.
  std::int64_t place(const ConvProblem& problem, std::int64_t i) const;
};

}  // namespace convlens::gpu
