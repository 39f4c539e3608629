// How the bins of a tile's spectrum lie in memory: complex numbers in FP32 for CUDA cores; for tensor cores real and
// imaginary parts in planes of their own, short or in FP32, of which TF32 reads 10 bits, times a power of two that the
// tile has of its own (fft_exponents.cu).
//
//   input, 4 multiplications    [bin][group][re, im][channel][tile]                 k = (re, im; channel) of a product
//   filter                      [bin][re, im][channel][group][re, im][output]       that is a real one, twice as large:
//
//        X̂·conj Ŵ = (a + ib)·(c − id):      (re im) = (a b) · ( c  −d )
//                                                             ( d   c )
//   input, 3 multiplications    the same, and a + b as [bin][channel][tile] elsewhere
//   filter                      [c, c + d, c − d][bin][channel][output]             three real products, after Gauss
//   products                    FP32, [bin][group][re, im][output][tile] or [p, q, r][bin][output][tile]
#pragma once

#include "fft/fft_layer.cuh"
#include "fft/fft_points.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr bool gauss = false, planes = true;  // three multiplications; real and imaginary parts apart
constexpr DType stored = f16;
#endif

using Stored = typename ElementOf<stored>::Type;

// Where bin 0 of a tile, or of an output channel's filter, is written, and how far on its next bins are.
struct SpectrumWriter {
  long long next;      // from bin to bin
  Stored *re, *im;     // the planes, or for a filter its first row, or c, and its second, or c + d
  Stored* third;       // a + b, or c − d
  long long negative;  // from a filter's c to its −d, and from d to c, in a row
  Complex* whole;      // in FP32

  // `channels` of all groups count phases; `pitch` is the tiles of a channel in memory.
  __device__ __forceinline__ SpectrumWriter(void* spectra, Stored* sums, int channel, long long tile, int channels,
                                            long long pitch, const Sizes& s)
      : re(static_cast<Stored*>(spectra)), whole(static_cast<Complex*>(spectra)) {
    if constexpr (!planes) {
      next = channels * pitch, whole += channel * pitch + tile;
      return;
    }
    if constexpr (of_filter && !gauss) {
      const long long row = 2LL * s.co;
      next = 2 * channels * row, negative = s.cog;
      re += channel * row + tile / s.cog * 2 * s.cog + tile % s.cog, im = re + channels * row;
    } else if constexpr (of_filter) {
      next = channels * static_cast<long long>(s.co);
      re += channel * static_cast<long long>(s.co) + tile, im = re + kept_bins * next, third = im + kept_bins * next;
    } else {
      const int group_channels = channels / s.groups, group = channel / group_channels;
      const long long plane = group_channels * pitch;
      next = 2 * channels * pitch;
      third = sums + channel * pitch + tile;
      re += 2 * group * plane + channel % group_channels * pitch + tile, im = re + plane;
    }
  }

  // Bin first + l; `first` is the same for all of a thread, and l known to the compiler.
  __device__ __forceinline__ void put(int first, int l, Complex value) const {
    const long long at = first * next + l * next;
    if constexpr (!planes) {
      whole[at] = value;
    } else if constexpr (of_filter && !gauss) {
      re[at] = im[at + negative] = rounded_to<stored>(value.re);
      re[at + negative] = rounded_to<stored>(-value.im), im[at] = rounded_to<stored>(value.im);
    } else if constexpr (of_filter) {
      re[at] = rounded_to<stored>(value.re);
      im[at] = rounded_to<stored>(value.re + value.im), third[at] = rounded_to<stored>(value.re - value.im);
    } else {
      re[at] = rounded_to<stored>(value.re), im[at] = rounded_to<stored>(value.im);
      if constexpr (gauss) third[at / 2] = rounded_to<stored>(value.re + value.im);
    }
  }
};

// Where the products of a tile and output channel are read.
struct SpectrumReader {
  long long next, plane;
  const Complex* whole;
  const float* first;

  __device__ __forceinline__ SpectrumReader(const void* spectra, int channel, long long tile, long long pitch,
                                            const Sizes& s)
      : whole(static_cast<const Complex*>(spectra)), first(static_cast<const float*>(spectra)) {
    next = s.co * pitch, whole += channel * pitch + tile;
    if constexpr (gauss) {
      plane = kept_bins * next, first += channel * pitch + tile;
    } else {
      plane = s.cog * pitch, next *= planes ? 2 : 1;
      first += 2 * (channel / s.cog) * plane + channel % s.cog * pitch + tile;
    }
  }

  __device__ __forceinline__ Complex get(int of, int l) const {
    const long long at = of * next + l * next;
    if constexpr (!planes) return whole[at];
    if constexpr (gauss) {
      const float p = first[at], q = first[plane + at], r = first[2 * plane + at];
      return {p - r, p - q};
    }
    return {first[at], first[plane + at]};
  }
};
