// Layers that kernels are tried on.
#pragma once

#include <vector>

#include "algorithms/problem/conv_problem.h"

namespace convlens::testing {

// Extents that no tile divides, padding that differs on all sides; then strides, dilation and groups.
inline const std::vector<ConvProblem>& ragged_layers() {
  static const std::vector<ConvProblem> layers{
      ConvProblem({.n = 3,
                   .ci = 7,
                   .hi = 15,
                   .wi = 19,
                   .co = 13,
                   .hf = 3,
                   .wf = 3,
                   .pad_top = 1,
                   .pad_bottom = 2,
                   .pad_left = 1,
                   .bias = true}),
      ConvProblem({.n = 2,
                   .ci = 10,
                   .hi = 17,
                   .wi = 23,
                   .co = 6,
                   .hf = 2,
                   .wf = 5,
                   .stride_h = 2,
                   .stride_w = 3,
                   .pad_left = 3,
                   .pad_right = 1,
                   .dilation_h = 3,
                   .groups = 2}),
  };
  return layers;
}

}  // namespace convlens::testing
