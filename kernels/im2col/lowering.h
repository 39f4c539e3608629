// The steps of im2col.cc and im2col.tc and the stages between them.
//
//   lower            A((n, p, q), k) = x(window of pixel (n, p, q))      for all images or some at a time
//   filter_matrix    W(k, o) = w(o, c, u, v)                             where w itself is not that matrix
//   gemm             Y = A·W, or Yᵀ = Wᵀ·Aᵀ where pixels are the faster index of y
//
// On tensor cores the filter's matrix has k contiguous, which an OHWI filter of NHWC tensors already is.
#pragma once

#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"

namespace convlens::gpu {

// The im2col matrix and the filter matrix, in the order in which the kernels write them.
std::vector<Stage> lowering_stages(const Request& request);

// Where cuBLAS multiplies, it works in `workspace`.
std::vector<Step> lowering_steps(const Request& request, const Buffer& workspace);
std::vector<Buffer> lowering_scratch(const Request& request, const Buffer& workspace);

}  // namespace convlens::gpu
