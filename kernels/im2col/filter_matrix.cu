// The filter as the matrix that the im2col matrix is multiplied by: row (c, u, v), column o.
//
//   W((c, u, v), o) = w(o, c, u, v)
//
// Neighbouring threads write neighbouring output channels and read filters that lie far apart, but the filter is small.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
filter_matrix(const float* __restrict__ w, float* __restrict__ packed, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const int o = static_cast<int>(index % s.co), k = static_cast<int>(index / s.co);
  const int c = k / (s.hf * s.wf), u = k / s.wf % s.hf, v = k % s.wf;
  if (c < s.cig)
    packed[index] = w[o * static_cast<long long>(s.w_o) + c * static_cast<long long>(s.w_c) + u * s.w_h + v * s.w_w];
}
