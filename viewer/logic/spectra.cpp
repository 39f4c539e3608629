#include "viewer/logic/spectra.h"

#include <algorithm>
#include <cmath>

#include "algorithms/fft/fft_map.h"
#include "algorithms/interface/algorithm.h"
#include "viewer/logic/each_cell.h"

namespace convlens::viewer {

SpectralStage::SpectralStage(const Plan& plan, const Stage& stage) : plan_(plan), stage_(stage) {
  if (stage.axes.back().name != "l") spectra_ = gpu::spectra_of(plan.request());
}

SpectralCell SpectralStage::cell(const Coord& at) const {
  return spectra_ ? by_kept_bins(at) : by_rows_and_columns(at);
}

// X̂(n, c, i, j, k, l), Ŵ(o, c, k, l).
SpectralCell SpectralStage::by_rows_and_columns(const Coord& at) const {
  const std::size_t k = stage_.axes.size() - 2, l = k + 1;
  SpectralCell found{{stage_.axes[k].extent, 2 * (stage_.axes[l].extent - 1)}, at[k], at[l], at, {}, {}};
  found.tile[k] = found.tile[l] = 0;
  const ConvProblem& p = plan_.problem();
  if (stage_.made_from.front() == kInput) {
    const fft::InputSpectrumMap map(p, found.lengths);
    found.rows.first = map.rows.origin(at[2]), found.columns.first = map.columns.origin(at[3]);
  } else {
    found.rows.scale = p.spec().dilation_h, found.columns.scale = p.spec().dilation_w;
  }
  return found;
}

// X̂(n, c, f, i, j, b), Ŵ(o, c, f, b), Ŵ(o, c, f, b, e).
SpectralCell SpectralStage::by_kept_bins(const Coord& at) const {
  const SpectrumAxis &rows = spectra_->rows, &columns = spectra_->columns;
  const std::size_t b = stage_.axes.size() - (holds_entries(stage_) ? 2 : 1);
  const gpu::Bin bin = spectra_->bin(at[b]);
  SpectralCell found{{rows.points, columns.points}, bin.k, bin.l, at, {}, {}};
  std::fill(found.tile.begin() + static_cast<std::ptrdiff_t>(b), found.tile.end(), 0);
  const auto f_h = static_cast<int>(at[2] / columns.phases()), f_w = static_cast<int>(at[2] % columns.phases());
  if (stage_.made_from.front() == kInput) {
    found.rows = {1, rows.input(static_cast<int>(at[3]), f_h, 0), rows.step};
    found.columns = {1, columns.input(static_cast<int>(at[4]), f_w, 0), columns.step};
  } else {
    found.rows = {rows.dilation, f_h, rows.step};
    found.columns = {columns.dilation, f_w, columns.step};
  }
  return found;
}

bool holds_spectra(const Stage& stage) {
  const std::string& last = stage.axes.back().name;
  return stage.made_from.size() == 1 && stage.made_from.front().id < 0 && (last == "b" || last == "e" || last == "l");
}

bool is_bin(const Axis& axis) { return axis.name == "k" || axis.name == "l" || axis.name == "b"; }

bool holds_entries(const Stage& stage) { return stage.axes.back().name == "e"; }

Box one_entry(const Stage& stage, Box box) {
  if (holds_entries(stage)) box.extent[stage.axes.size() - 1] = 1;
  return box;
}

Fold fold_of(const Plan& plan, const Stage& stage) {
  const auto axis = std::ranges::find(stage.axes, "b", &Axis::name);
  const Algorithm& row = plan.algorithm();
  if (axis == stage.axes.end() || row.family != "fft" || row.unit == Unit::cpu) return {};
  const gpu::Spectra spectra = gpu::spectra_of(plan.request());
  const std::int64_t h = spectra.rows.points, w = spectra.columns.points, half = w / 2 + 1;
  Fold fold{static_cast<int>(axis - stage.axes.begin()), h, half};
  if (spectra.bins != h * half) fold.rows = h / 2 + 1, fold.columns = w, fold.ends = half;
  return fold;
}

Spectrum spectrum_of(const SpectralCell& cell, const Source& source, const std::function<double(const Coord&)>& value) {
  const fft::RealTransform2D<double> transform(cell.lengths);
  std::vector<std::complex<double>> tile(static_cast<std::size_t>(cell.lengths.tile()));
  auto* const reals = reinterpret_cast<double*>(tile.data());
  for (const Term& term : source.terms)
    for_each_cell(term.at, [&](const Coord& at) {
      reals[cell.rows.position(at[2]) * cell.lengths.pitch() + cell.columns.position(at[3])] = value(at);
    });
  Spectrum spectrum(static_cast<std::size_t>(cell.lengths.bins()));
  transform.forward(tile.data(), cell.lengths.h, spectrum.data());
  return spectrum;
}

double roundoff_of(const Spectrum& spectrum, const fft::Lengths& lengths) {
  constexpr double kRoundoff = 0x1p-53;
  double squares = 0;
  for (const std::complex<double>& bin : spectrum) squares += 2 * std::norm(bin);  // each, and its conjugate
  return 3 * lengths.log2_points() * kRoundoff * std::sqrt(squares);
}

std::complex<double> bin_of(const Spectrum& spectrum, const SpectralCell& cell) {
  const std::int64_t h = cell.lengths.h;
  const auto kept = [&](std::int64_t k, std::int64_t l) { return spectrum[static_cast<std::size_t>(l * h + k)]; };
  if (cell.l < cell.lengths.half()) return kept(cell.k, cell.l);
  return std::conj(kept((h - cell.k) % h, cell.lengths.w - cell.l));
}

}  // namespace convlens::viewer
