// The filter as the matrix that the im2col matrix is multiplied by: column k of a row of that matrix, column o.
//
//   W(k, o) = w(o, c, u, v)      k = (c, u, v), or (u, v, c) where channels lie together in x; 0 for k beyond the
//   window
//
//    w(o): c, u, v             W, a column an output channel
//   ┌───┐┌───┐                    o = 0   o = 1   o = 2 …
//   │a b││e f│               k=0 │  a   │      │      │
//   │c d││g h│       ──▶     k=1 │  b   │  …   │  …   │        k runs as the columns of im2col's matrix do; here
//   └───┘└───┘               k=2 │  c   │      │      │        (c, u, v)
//    c=0  c=1                    │  ⋮   │      │      │
//
// Stored as (k, o), neighbouring threads writing neighbouring output channels, or as (o, k) where `k_contiguous`, which
// tensor cores read best. Filters are read far apart, but the filter is small.
//
// Source: Chellapilla, Puri & Simard 2006.
#include "common/default_layer.h"
#include "common/element.cuh"
#include "im2col/columns.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
constexpr bool k_contiguous = true;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    filter_matrix(const Element* __restrict__ w, Element* __restrict__ packed, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const int across = k_contiguous ? s.row : s.co;
  const int o = static_cast<int>(k_contiguous ? index / across : index % across);
  const int k = static_cast<int>(k_contiguous ? index % across : index / across);
  if (o >= s.co || k >= s.row) return;
  const Column at = column_at(k, s);
  packed[index] =
      k < s.cig * s.hf * s.wf
          ? w[o * static_cast<long long>(s.w_o) + at.c * static_cast<long long>(s.w_c) + at.u * s.w_h + at.v * s.w_w]
          : rounded(0.0f);
}
