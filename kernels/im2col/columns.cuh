// The columns of the im2col matrix: which channel and tap stand where in a group's part of a row.
//
// Where channels lie together in x they are the fastest index, so that a row is made of runs of x; otherwise taps are.
// A group's part is rounded up to whole vectors of 16 bytes, s.row columns; those beyond the window are zeros.
#pragma once

#include "common/default_layer.h"

constexpr bool channels_last = x_layout == NHWC;

struct Column {
  int c, u, v;  // channel of the group, and tap
};

__device__ __forceinline__ Column column_at(int k, const Sizes& s) {
  if constexpr (channels_last) return {k % s.cig, k / s.cig / s.wf, k / s.cig % s.wf};
  return {k / (s.hf * s.wf), k / s.wf % s.hf, k % s.wf};
}
