// Fills a tensor with random numbers that are the host's, bit for bit (algorithms/tensor/random.h).
//
//   data(n, c, h, w) = ⌊mix(key, k) / 2¹¹⌋ / 2⁵² − 1,   k = ((n·C + c)·H + h)·W + w
//
// Value number k of stream `key` is a pure function of both: SplitMix64's mixing of the counter k, scaled to [−1, 1)
// and rounded once. k counts elements in the order of NCHW whatever the layout, so that a tensor's values do not depend
// on how it lies in memory.
#include "common/default_layer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef CONVLENS_CONFIGURED
constexpr int element_type = 2, threads = 256;
#endif

struct Tensor {
  long long c, h, w, count;  // extents, and elements in all
  long long stride[4];       // of n, c, h, w, in elements
};

__device__ double uniform(unsigned long long key, unsigned long long counter) {
  unsigned long long z = key * 0xd1342543de82ef95u + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;  // exact, every step
}

// Stores `value` as element number `at`, rounded to nearest, ties to even.
__device__ void store(void* data, long long at, double value) {
  if constexpr (element_type == 0)
    static_cast<__half*>(data)[at] = __double2half(value);
  else if constexpr (element_type == 1)
    static_cast<__nv_bfloat16*>(data)[at] = __double2bfloat16(value);
  else if constexpr (element_type == 2)
    static_cast<float*>(data)[at] = __double2float_rn(value);
  else
    static_cast<double*>(data)[at] = value;
}

extern "C" __global__ void __launch_bounds__(threads)
fill_uniform(void* data, unsigned long long key, const Tensor t, const Sizes) {
  const long long step = static_cast<long long>(gridDim.x) * threads;
  for (long long k = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; k < t.count; k += step) {
    const long long w = k % t.w, h = k / t.w % t.h, c = k / t.w / t.h % t.c, n = k / t.w / t.h / t.c;
    store(data, n * t.stride[0] + c * t.stride[1] + h * t.stride[2] + w * t.stride[3], uniform(key, k));
  }
}
