// The error model of rows that add products on tensor cores, with no transform.
#pragma once

#include "algorithms/interface/error_model.h"

namespace convlens::gpu {

// Tensor cores align the products of a step to the largest and cut the rest off, before they add: four times γ(K). In
// f32 that is plain_sum_model.
ErrorModel tensor_core_sums(const ConvProblem& problem, DType dtype);

}  // namespace convlens::gpu
