// CUDA's two 16-bit types on the host: their bits, and the way to float and back.
#pragma once

#include "algorithms/tensor/half.h"

struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};
inline float __half2float(__half value) { return convlens::f16::from_bits(value.bits); }
inline float __bfloat162float(__nv_bfloat16 value) { return convlens::bf16::from_bits(value.bits); }
inline __half __double2half(double value) { return {convlens::f16(value).bits}; }
inline __half __float2half_rn(float value) { return __double2half(value); }
inline __nv_bfloat16 __double2bfloat16(double value) { return {convlens::bf16(value).bits}; }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return __double2bfloat16(value); }
