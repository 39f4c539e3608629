// How one axis of a layer is cut into tiles for transforms of `points` points: overlap-save, by phases of the stride.
// Plain C++: the kernels and the program's decisions include the same file.
//
// With stride s an output reads every tap, but the windows of neighbouring outputs begin s elements apart. Element s·q
// + a belongs to *phase* a; within a phase windows begin one element apart, so the strided correlation is the sum over
// the phases of dense correlations s times shorter (Blahut, "Fast Algorithms for Signal Processing", 2010, on
// decimation):
//
//   x     0 1 2 3 4 5 6 7 8     s = 2     phase 0: 0 2 4 6 8   with the taps 0, 2, …
//   taps  0 1 2                           phase 1: 1 3 5 7     with the taps 1, 3, …
//
// With step = s the phases are further channels of the product; with step = 1 the correlation of stride 1 is formed,
// and every s-th output kept. A transform is circular: its last extent() − 1 outputs have wrapped and are thrown away,
// and tiles overlap by as much.
//
//   ├────────── tile 0: `points` elements of a phase ──────────┤
//   [ per_tile outputs that are kept ][ extent − 1 wrapped ]
//                                     ├────────── tile 1 ──────────
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define CONVLENS_FFT_AXIS __host__ __device__ constexpr
#else
#define CONVLENS_FFT_AXIS constexpr
#endif

struct SpectrumAxis {
  int size, outputs, taps, stride, dilation, pad;  // of the layer
  int points, step;                                // of a transform

  CONVLENS_FFT_AXIS int filter_span() const { return (taps - 1) * dilation + 1; }
  CONVLENS_FFT_AXIS int extent() const { return (filter_span() - 1) / step + 1; }  // of the filter, in a phase
  CONVLENS_FFT_AXIS int keep() const { return stride / step; }                     // every keep-th output is wanted
  CONVLENS_FFT_AXIS int phases() const { return step < filter_span() ? step : filter_span(); }
  CONVLENS_FFT_AXIS int per_tile() const {
    const int unwrapped = (points - extent()) / keep() + 1;
    return unwrapped < outputs ? unwrapped : outputs;
  }
  CONVLENS_FFT_AXIS int tiles() const { return (outputs + per_tile() - 1) / per_tile(); }
  CONVLENS_FFT_AXIS int outputs_of(int tile) const {
    const int left = outputs - tile * per_tile();
    return left < per_tile() ? left : per_tile();
  }

  // The input element at position q of phase a in `tile`; it may lie in the padding or beyond the image.
  CONVLENS_FFT_AXIS int input(int tile, int a, int q) const { return tile * per_tile() * stride + q * step + a - pad; }

  // The tap at position q of phase a, or −1 where there is none.
  CONVLENS_FFT_AXIS int tap(int a, int q) const {
    const int at = q * step + a;
    return at % dilation == 0 && at / dilation < taps ? at / dilation : -1;
  }

  // Whether outputs leave elements between them that none reads: strides past the taps, or between dilated ones.
  CONVLENS_FFT_AXIS bool has_gaps() const { return dilation > 1 || (step != stride && stride > taps); }

  // Whether an output of `tile` reads position q of phase a. What none reads must not count: it may be a NaN.
  CONVLENS_FFT_AXIS bool reads(int tile, int a, int q) const {
    const int at = q * step + a, last = (outputs_of(tile) - 1) * stride;
    if (!has_gaps()) return at <= last + taps - 1;
    for (int tap = 0; tap < taps; ++tap) {
      const int start = at - tap * dilation;
      if (start >= 0 && start <= last && start % stride == 0) return true;
    }
    return false;
  }

  // The elements from the first to the last that an output of `tile` reads, all phases together.
  CONVLENS_FFT_AXIS int span_of(int tile) const { return (outputs_of(tile) - 1) * stride + filter_span(); }

  // The positions from the first to the last of phase a that lie in the image and before the end of what `tile` reads.
  struct Positions {
    int first, end;
  };
  CONVLENS_FFT_AXIS Positions inside(int tile, int a) const {
    const int origin = input(tile, a, 0), read = outputs_of(tile) * stride - stride + filter_span() - a;
    const int first = origin < 0 ? (step - 1 - origin) / step : 0;
    const int left = size - origin < read ? size - origin : read, end = left > 0 ? (left + step - 1) / step : 0;
    return {first, end < points ? end : points};
  }
};
