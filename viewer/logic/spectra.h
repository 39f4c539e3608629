// Cells of spectra: which bin of the transform of which tile a cell is, and what stands where in that tile.
//
//   X̂(k, l) = Σ_{q, r} tile(q, r) · e^{−2πi·(k·q/H + l·r/W)}
//
// Rows for the CPU have a spectrum's bins as two axes, (k, l); those for a GPU as one, b, in the order of their kernels
// (kernels/fft/fft_spectra.h). Tiles, and the phases of a stride, are those of the rows' own index maps.
//
// Tensor cores multiply real matrices: there a bin may be several cells, on an axis e, which are its entries in them
// (kernels/fft/fft_parts.h). On show is the bin that they make, without the power of two by which they are stored.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "algorithms/fft/transform.h"
#include "algorithms/interface/plan.h"
#include "kernels/fft/fft_spectra.h"
#include "viewer/logic/fold.h"

namespace convlens::viewer {

// Along one side of a tile: element e of x, or tap e of w, stands at (e·scale − first) / step.
struct TileSide {
  std::int64_t scale = 1, first = 0, step = 1;

  std::int64_t position(std::int64_t element) const { return (element * scale - first) / step; }
};

struct SpectralCell {
  fft::Lengths lengths;       // H × W points
  std::int64_t k = 0, l = 0;  // 0 ≤ k < H, 0 ≤ l < W
  Coord tile{};               // the cell without its bin: the same for all bins of one tile
  TileSide rows, columns;
};

// Whether a stage holds spectra of tiles of x or of w: it is made from that alone, and its cells are bins.
bool holds_spectra(const Stage& stage);

// Whether an axis of a spectrum counts bins.
bool is_bin(const Axis& axis);

// Whether several cells of a stage, its entries, are one complex number; and the cells of `box` without all but the
// first entry of each.
bool holds_entries(const Stage& stage);
Box one_entry(const Stage& stage, Box box);

// Such a stage of a plan, which must outlive it; made once, asked for each cell.
class SpectralStage {
 public:
  SpectralStage(const Plan& plan, const Stage& stage);
  SpectralCell cell(const Coord& at) const;

 private:
  SpectralCell by_rows_and_columns(const Coord& at) const;
  SpectralCell by_kept_bins(const Coord& at) const;

  const Plan& plan_;
  const Stage& stage_;
  std::optional<gpu::Spectra> spectra_;  // of rows that number the bins they keep
};

// How the axis of the bins that a row for a GPU keeps of a tile is a half plane; none where a stage has no such axis.
Fold fold_of(const Plan& plan, const Stage& stage);

// The bins with l ≤ W/2 of a tile, columns contiguous; `source` lists what is in the tile, `value` says how much it is.
using Spectrum = std::vector<std::complex<double>>;
Spectrum spectrum_of(const SpectralCell& cell, const Source& source, const std::function<double(const Coord&)>& value);

// What rounding may have added to any of its bins, in float64: 3·log₂P·u·‖X̂‖₂ for P points (as in
// algorithms/fft/fft_error.h).
double roundoff_of(const Spectrum& spectrum, const fft::Lengths& lengths);

// Any bin of it: X̂(k, l) = conj X̂(H − k, W − l).
std::complex<double> bin_of(const Spectrum& spectrum, const SpectralCell& cell);

}  // namespace convlens::viewer
