// What rows on tensor cores promise alike.
#pragma once

#include "algorithms/interface/error_model.h"

namespace convlens::gpu {

// Tensor cores align the products of a step to the largest and cut the rest off, before they add: four times γ(K).
inline constexpr double kTensorCores = 4;

// The model of every row on tensor cores that adds the K products of each output with no transform; in f32, which they
// don't take, plain_sum_model.
ErrorModel tensor_core_sum_model(const ConvProblem& problem, DType dtype);

}  // namespace convlens::gpu
