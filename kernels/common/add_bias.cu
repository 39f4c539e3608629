// y(n, o, p, q) = sums(n, o, p, q) + bias(o), rounded once: for libraries that round before they add a bias.
#include "common/default_layer.h"
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    add_bias(const float* __restrict__ sums, const Element* __restrict__ bias, Element* __restrict__ y, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  if (index < static_cast<long long>(s.n) * s.co * s.ho * s.wo)
    y[index] = rounded(sums[index] + to_float(bias[index / s.y_c % s.co]));
}
