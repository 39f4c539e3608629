// Copies memory: what a GPU's memory can do at most, for there is nothing else to wait for.
//
//   to[k] = from[k]
//
// Each thread copies 16 bytes, the most that one instruction loads; neighbouring threads copy neighbouring bytes.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
copy(const float4* __restrict__ from, float4* __restrict__ to, const Sizes) {
  const long long k = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  to[k] = from[k];
}
