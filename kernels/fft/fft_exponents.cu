// The power of two that the spectra of a tile, or of an output channel's filter, are multiplied by before they are
// stored in a short type: with it no finite tile overflows, and small ones lose nothing.
//
//   exponent(t) = 15 − log2_terms − ⌈log₂ max|x|⌉      over all channels of tile t, so that it leaves the sum over them
//
//   tile t of x                        a block
//   +-------+ channel 0                +-----------------------+
//   |  +-------+ 1      all elements   | threads  max |x| each  |
//   +--|  +-------+ 2  ------------>   | warps    shuffles      |  -->  exponents[t]
//      +--|       |                    | block    shared memory |
//         +-------+                    +-----------------------+
//
// A bin is a sum of at most 2^log2_terms elements times numbers of modulus 1: scaled it is at most 2¹⁵, and FP16 ends
// at 65504, twice as far. Infinities and NaN are passed over: they remain what they are however scaled. A block a tile.
//
// Source: block floating point, Wilkinson, Rounding Errors in Algebraic Processes, 1963.
#include "fft/fft_tile.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int log2_terms = 10;
#endif

constexpr int threads = 256;

extern "C" __global__ void __launch_bounds__(threads)
    fft_exponents(const Element* __restrict__ operand, int* __restrict__ exponents, const Sizes s) {
  float most = 0.0f;
  const auto take = [&most](Element value) {
    const float size = fabsf(to_float(value));
    if (size < __int_as_float(0x7f800000)) most = fmaxf(most, size);
  };
  if constexpr (of_filter) {
    const Element* const filter = operand + blockIdx.x * static_cast<long long>(s.w_o);
    for (int e = threadIdx.x; e < s.cig * s.hf * s.wf; e += threads)
      take(filter[e / s.wf / s.hf * static_cast<long long>(s.w_c) + e / s.wf % s.hf * s.w_h + e % s.wf * s.w_w]);
  } else {
    const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
    const int j = blockIdx.x % columns.tiles(), i = blockIdx.x / columns.tiles() % rows.tiles();
    const int image = blockIdx.x / columns.tiles() / rows.tiles();
    const int h0 = max(rows.input(i, 0, 0), 0), w0 = max(columns.input(j, 0, 0), 0);
    const int height = min(rows.input(i, 0, 0) + rows.span_of(i), s.hi) - h0;
    const int width = min(columns.input(j, 0, 0) + columns.span_of(j), s.wi) - w0;
    const Element* const first = operand + image * static_cast<long long>(s.x_n) + h0 * static_cast<long long>(s.x_h) +
                                 w0 * static_cast<long long>(s.x_w);
    // In the order of x's memory.
    for (int e = threadIdx.x; height > 0 && width > 0 && e < s.ci * height * width; e += threads) {
      const int c = channels_last ? e % s.ci : e / width / height,
                column = channels_last ? e / s.ci % width : e % width;
      const int row = channels_last ? e / s.ci / width : e / width % height;
      take(first[c * static_cast<long long>(s.x_c) + row * static_cast<long long>(s.x_h) +
                 column * static_cast<long long>(s.x_w)]);
    }
  }

  __shared__ float of_warp[threads / 32];
  for (int distance = 16; distance > 0; distance /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) most = fmaxf(most, of_warp[warp]);
  // ilogbf + 1 is at least ⌈log₂⌉. BF16 reaches further than exponents of FP32 that have an inverse.
  exponents[blockIdx.x] = most == 0.0f ? 0 : max(-126, min(126, 15 - log2_terms - (ilogbf(most) + 1)));
}
