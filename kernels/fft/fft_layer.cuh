// The layer as the kernels of fft.cc see it: both axes cut into tiles, and the order of a spectrum's numbers.
//
// A spectrum keeps each bin that is not the conjugate of another: of a real tile X(P_h−k, P_w−l) = conj X(k, l). They
// are numbered b = 0 … P_h·P_w/2 + 1:
//
//   k = 0               0        …  P_w/2        rows 0 and P_h/2 of a real tile repeat themselves in their second half
//   k = P_h/2           P_w/2+1  …  P_w+1
//   k = 1               P_w+2    …  2·P_w+1      of the other rows k < P_h/2 all bins l are kept, and the rows P_h − k
//   …                                            are their conjugates
//   k = P_h/2−1         …           P_h·P_w/2+1
//
// cuFFT keeps the half l ≤ P_w/2 of every row k instead: b = k·(P_w/2+1) + l.
//
// In memory the bins are the slowest axis, so that each bin is a matrix for the product: [b][channel·phase][tile] with
// tile = (image·T_h + i)·T_w + j, and for the filter [b][channel·phase][output channel].
#pragma once

#include "common/default_layer.h"
#include "common/element.cuh"
#include "fft/fft_axis.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int points_h = 32, points_w = 32, step_h = 1, step_w = 1;
constexpr bool of_filter = false;  // whose tiles these are: an output channel's filter each, or the tensors'
#endif

constexpr bool channels_last = x_layout == NHWC;
constexpr int kept_bins = points_h * points_w / 2 + 2;  // of the own transforms

__device__ __forceinline__ SpectrumAxis rows_of(const Sizes& s) {
  return {s.hi, s.ho, s.hf, s.stride_h, s.dilation_h, s.pad_top, points_h, step_h};
}
__device__ __forceinline__ SpectrumAxis columns_of(const Sizes& s) {
  return {s.wi, s.wo, s.wf, s.stride_w, s.dilation_w, s.pad_left, points_w, step_w};
}
