// The filter as rows that tensor cores take: one row an output channel, its values in the order (u, v, c).
//
//   row[o][t·channels + c] = w(o, c, u, v),   t = u·W_f + v
//
//   w, one output channel o           rows[o]                                  t = (u, v)
//   +-----+ c = 0                     +------------+------------+-- --+---+
//   | u,v |-----+ 1     ------->      | c 0 1 2 .. | c 0 1 2 .. |     | 0 |   pitch elements, `channels` a tap
//   +-----|     |                     +------------+------------+-- --+---+
//         +-----+                          t = 0        t = 1
//
// What is beyond C_i/groups or the taps is zero. A row is a multiple of 16 bytes, as the copy engine asks.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int channels = 64, pitch = 576, threads = 256;
#endif
#include "common/element.cuh"

extern "C" __global__ void __launch_bounds__(threads)
    pack_rows(const Element* __restrict__ w, Element* __restrict__ rows, const Sizes s) {
  const int index = blockIdx.x * threads + threadIdx.x;
  const int o = index / pitch, k = index % pitch, t = k / channels, c = k % channels;
  if (o >= s.co) return;
  const bool exists = t < s.hf * s.wf && c < s.cig;
  rows[index] = exists ? w[o * s.w_o + c * s.w_c + t / s.wf * s.w_h + t % s.wf * s.w_w] : rounded(0);
}
