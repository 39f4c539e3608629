// What tensors hold on tensor cores: FP16 or BF16, by `dtype`. Every sum is in FP32 and is rounded once, when it is
// stored.
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
using Element = typename ElementOf<dtype>::Type;

__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

// To nearest, ties to even; what is too large becomes infinite.
template <DType type = dtype>
__device__ inline typename ElementOf<type>::Type rounded(float value) {
  return static_cast<typename ElementOf<type>::Type>(value);
}
