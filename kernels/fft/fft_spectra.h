// The spectra that fft.cc makes of a layer: lengths of transforms, tiles, phases, bins, and the three stages.
#pragma once

#include <vector>

#include "algorithms/interface/request.h"
#include "algorithms/interface/stage.h"
#include "kernels/fft/fft_axis.cuh"

namespace convlens::gpu {

// Bin (k, l) of a tile's spectrum.
struct Bin {
  std::int64_t k = 0, l = 0;
};

struct Spectra {
  SpectrumAxis rows, columns;
  std::int64_t bins = 0;  // that are kept of a tile's spectrum

  // Which of them is number `b`. Of a real tile half is enough, since X(k, l) = conj X(P_h − k, P_w − l). A library
  // keeps the columns l ≤ P_w/2, row after row. The own transforms keep rows k ≤ P_h/2: first what is real about rows 0
  // and P_h/2, P_w/2 + 1 bins each, then all of rows 1 … P_h/2 − 1 (fft_forward.cu).
  Bin bin(std::int64_t b) const;

  std::int64_t points() const { return std::int64_t{rows.points} * columns.points; }
  std::int64_t phases() const { return std::int64_t{rows.phases()} * columns.phases(); }
  std::int64_t tiles() const { return std::int64_t{rows.tiles()} * columns.tiles(); }  // of an image
};

// The lengths that the kernels transform: even, products of 2, 3, 5 and 7, and short enough for a thread's registers.
inline constexpr int kTileLengths[] = {8, 12, 14, 16, 20, 24, 28, 30, 32};

// By the options transform, tile and stride. Throws Unsupported where the filter doesn't fit the tile, naming the rule.
Spectra spectra_of(const Request& request);

// Input, filter and product spectra, of which `images` images are in the workspace at a time.
std::vector<Stage> fft_stages(const ConvProblem& problem, const Spectra& spectra, std::int64_t images);

}  // namespace convlens::gpu
