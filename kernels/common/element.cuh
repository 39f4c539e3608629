// What tensors hold, by `dtype`: FP16 or BF16 on tensor cores, FP32 on CUDA cores. Every sum is in FP32 and is rounded
// once, when it is stored.
#pragma once

#include "common/default_layer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <DType>
struct ElementOf;
template <>
struct ElementOf<f16> {
  using Type = __half;
};
template <>
struct ElementOf<bf16> {
  using Type = __nv_bfloat16;
};
template <>
struct ElementOf<f32> {
  using Type = float;
};
using Element = typename ElementOf<dtype>::Type;

__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline float to_float(float value) { return value; }

// To nearest, ties to even; what is too large becomes infinite.
template <DType to>
__device__ inline typename ElementOf<to>::Type rounded_to(float value) {
  if constexpr (to == f16)
    return __float2half_rn(value);
  else if constexpr (to == bf16)
    return __float2bfloat16_rn(value);
  else
    return value;
}
__device__ inline Element rounded(float value) { return rounded_to<dtype>(value); }
