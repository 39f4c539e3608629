// Which transform fft.cc makes of a layer: the lengths of its tiles, and whether strides are taken by phases.
#pragma once

#include "algorithms/interface/request.h"
#include "kernels/fft/fft_axis.cuh"

namespace convlens::gpu {

struct Spectra {
  SpectrumAxis rows, columns;
  std::int64_t bins = 0;

  std::int64_t phases() const { return std::int64_t{rows.phases()} * columns.phases(); }
  std::int64_t tiles() const { return std::int64_t{rows.tiles()} * columns.tiles(); }  // of an image
};

// The lengths that the kernels transform: even, and products of 2, 3, 5 and 7 that fit a thread's registers.
inline constexpr int kLengths[] = {8, 12, 14, 16, 20, 24, 28, 30, 32};

// For a request whose filter fits the tile (`filter_fits`).
Spectra spectra_of(const Request& request);

// Whether a phase of the dilated filter is no longer than the tile that the options ask for.
bool filter_fits(const Request& request);

}  // namespace convlens::gpu
