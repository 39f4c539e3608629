#include "viewer/logic/values.h"

#include <algorithm>
#include <cmath>

#include "algorithms/tensor/random.h"
#include "algorithms/tensor/rounded.h"
#include "kernels/fft/fft_parts.h"
#include "viewer/logic/each_cell.h"
#include "viewer/logic/effort.h"

namespace convlens::viewer {

namespace {

// Numbers that are stored in parts are stored times powers of two that depend on the data, so that none is out of the
// type's range; they are shown without these, and without the parts' rounding.
bool shown_as_stored(const Plan& plan, const Stage& stage) {
  return stage.dtype != DType::f64 && !gpu::in_parts(plan, stage);
}

}  // namespace

Values::Values(std::shared_ptr<const Model> model, Sources sources)
    : model_(std::move(model)), sources_(stored_sources(std::move(sources), model_->dtype())) {
  for (const ChosenRow& row : model_->rows())
    if (row.plan)
      for (const Stage& stage : row.plan->stages())
        if (stage.map != nullptr && holds_spectra(stage)) spectral_.try_emplace(&stage, *row.plan, stage);
}

std::complex<double> Values::at(const Exhibit& exhibit, const Coord& c) const {
  switch (exhibit.role) {
    case Role::input:
      return sources_.x(c[0], c[1], c[2], c[3]);
    case Role::filter:
      return sources_.w(c[0], c[1], c[2], c[3]);
    case Role::blocks: {
      const std::optional<Coord> at = model_->element_of_block(c);
      return at ? sources_.w((*at)[0], (*at)[1], (*at)[2], (*at)[3]) : 0.0;
    }
    case Role::output:
      return output(c);
    case Role::stage:
      break;
  }
  return of_stage(*model_->rows()[static_cast<std::size_t>(exhibit.row)].plan, model_->stage(exhibit), c);
}

double Values::largest(const Exhibit& exhibit, const Coord& cell) const {
  Coord first{};
  std::int64_t channel = 0;
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
    if (exhibit.complex && exhibit.axes[axis].name == "o") first[axis] = channel = cell[axis];
  {
    const std::scoped_lock lock(mutex_);
    const std::map<std::int64_t, double>& known = largest_[exhibit.id];
    if (const auto found = known.find(channel); found != known.end()) return found->second;
  }
  const double largest = sample_largest(exhibit, first);
  const std::scoped_lock lock(mutex_);
  return largest_[exhibit.id].emplace(channel, largest).first->second;
}

double Values::sample_largest(const Exhibit& exhibit, const Coord& first) const {
  if (exhibit.cells() == 0) return 1;
  constexpr double kSamples = 300, kTransforms = 1 << 26;  // steps of all samples' spectra
  const auto tiles =
      static_cast<std::uint64_t>(std::clamp(kTransforms / std::max(1.0, exhibit.effort.tile), 1.0, kSamples));
  double largest = 0;
  for (std::uint64_t k = 0; k < kSamples; ++k) {
    Coord cell = first;  // the first sample is cell 0: of a spectrum, the sum of the tile
    for (std::size_t axis = 0; axis < exhibit.axes.size() && k > 0; ++axis) {
      const Axis& a = exhibit.axes[axis];
      const bool of_tile = a.name == "i" || a.name == "j";
      if (exhibit.complex && !of_tile && !is_bin(a)) continue;
      const std::uint64_t draw = exhibit.complex && of_tile ? k % tiles : k;
      if (draw > 0) cell[axis] = static_cast<std::int64_t>(random_bits(draw, axis) >> 1) % a.extent;
    }
    const double magnitude = std::abs(at(exhibit, cell));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest > 0 ? largest : 1;
}

std::complex<double> Values::of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const {
  const std::complex<double> exact = exact_of_stage(plan, stage, cell);
  if (!shown_as_stored(plan, stage)) return exact;
  return {rounded(stage.dtype, exact.real()), rounded(stage.dtype, exact.imag())};
}

std::complex<double> Values::exact_of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const {
  if (holds_spectra(stage)) return bin(stage, cell);
  const Source source = stage.map->source(cell);
  if (source.kind == SourceKind::region)
    return source.terms.size() == 1 ? part(plan, stage, cell, source.terms.front()) : product(plan, stage, source);
  std::complex<double> sum = 0;
  for (const Term& term : source.terms) sum += term.coefficient.value() * of_operand(plan, term.from, term.at.first);
  return sum;
}

std::complex<double> Values::of_operand(const Plan& plan, Operand from, const Coord& at) const {
  if (from.id >= 0) return of_stage(plan, plan.stages()[static_cast<std::size_t>(from.id)], at);
  return (from == kInput ? sources_.x : sources_.w)(at[0], at[1], at[2], at[3]);
}

std::complex<double> Values::bin(const Stage& stage, const Coord& cell) const {
  const SpectralCell spectral = spectral_.at(&stage).cell(cell);
  return bin_of(spectrum(stage, spectral)->bins, spectral);
}

Values::SharedSpectrum Values::spectrum(const Stage& stage, const SpectralCell& cell) const {
  const std::pair key{&stage, cell.tile};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = spectra_.find(key); found != spectra_.end()) return found->second;
  }
  const Element& from = stage.made_from.front() == kInput ? sources_.x : sources_.w;
  const Source source = stage.map->source(cell.tile);  // may be a list of very many runs
  Spectrum bins = spectrum_of(cell, source, [&](const Coord& at) { return from(at[0], at[1], at[2], at[3]); });
  const double roundoff = roundoff_of(bins, cell.lengths);
  const auto spectrum = std::make_shared<const KeptSpectrum>(std::move(bins), roundoff);

  const std::scoped_lock lock(mutex_);
  const double bytes = static_cast<double>(spectrum->bins.size() * sizeof(std::complex<double>));
  if (kept_bytes_ + bytes > kKeptSpectraBytes) spectra_.clear(), kept_bytes_ = 0;
  if (spectra_.emplace(key, spectrum).second) kept_bytes_ += bytes;
  return spectrum;
}

std::complex<double> Values::part(const Plan& plan, const Stage& stage, const Coord& cell, const Term& term) const {
  const std::complex<double> value = of_operand(plan, term.from, term.at.first);
  if (stage.complex) return value;
  return stage.map->cells(term.from, term.at.first).front().contains(cell) ? value.real() : value.imag();
}

std::complex<double> Values::product(const Plan& plan, const Stage& stage, const Source& source) const {
  const auto factor = [&](const Term& term) -> const Stage& {
    return plan.stages()[static_cast<std::size_t>(term.from.id)];
  };
  const Stage &a = factor(source.terms[0]), &b = factor(source.terms[1]);
  const bool spectra = stage.complex || holds_entries(stage);
  std::vector<Coord> second;
  for_each_cell(one_entry(b, source.terms[1].at), [&](const Coord& at) { second.push_back(at); });
  std::complex<double> sum = 0;
  std::size_t next = 0;
  for_each_cell(source.terms[0].at, [&](const Coord& at) {
    const std::complex<double> right = of_stage(plan, b, second[next++]);
    sum += of_stage(plan, a, at) * (spectra ? std::conj(right) : right);
  });
  return sum;
}

double Values::roundoff(const Exhibit& exhibit, const Coord& cell) const {
  if (exhibit.role != Role::stage || !exhibit.complex) return 0;
  return roundoff_of_stage(*model_->rows()[static_cast<std::size_t>(exhibit.row)].plan, model_->stage(exhibit), cell);
}

double Values::roundoff_of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const {
  if (holds_spectra(stage)) {
    const SpectralCell spectral = spectral_.at(&stage).cell(cell);
    const SharedSpectrum kept = spectrum(stage, spectral);
    const double stored = shown_as_stored(plan, stage) ? unit_roundoff(stage.dtype) : 0;
    return kept->roundoff + stored * std::abs(bin_of(kept->bins, spectral));
  }
  const Source source = stage.map->source(cell);
  if (source.terms.empty() || source.terms.front().from.id < 0) return 0;
  const Term& first = source.terms.front();
  if (source.terms.size() == 2 && source.kind == SourceKind::region) return roundoff_of_product(plan, source);
  return roundoff_of_stage(plan, plan.stages()[static_cast<std::size_t>(first.from.id)], first.at.first);
}

// Of Σ_c A_c·B_c over n channels, to first order: Σ_c (δA_c·|B_c| + |A_c|·δB_c + (n + 2)·u·|A_c|·|B_c|).
double Values::roundoff_of_product(const Plan& plan, const Source& source) const {
  constexpr double kRoundoff = 0x1p-53;
  struct Factor {
    double magnitude, roundoff;
  };
  const auto factors = [&](const Term& term) {
    const Stage& stage = plan.stages()[static_cast<std::size_t>(term.from.id)];
    std::vector<Factor> all;
    for_each_cell(one_entry(stage, term.at), [&](const Coord& at) {
      all.push_back({std::abs(of_stage(plan, stage, at)), roundoff_of_stage(plan, stage, at)});
    });
    return all;
  };
  const std::vector<Factor> a = factors(source.terms[0]), b = factors(source.terms[1]);
  const double sum = (static_cast<double>(a.size()) + 2) * kRoundoff;
  double roundoff = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    roundoff += a[c].roundoff * b[c].magnitude + a[c].magnitude * b[c].roundoff + sum * a[c].magnitude * b[c].magnitude;
  return roundoff;
}

double Values::output(const Coord& at) const {
  const ConvProblem& p = *model_->problem();
  const auto [n, o, row, column, unused4, unused5] = at;
  const std::int64_t first = p.group_of_output(o) * p.ci_per_group();
  double sum = p.bias() ? sources_.bias(o) : 0;
  for (std::int64_t u = 0; u < p.hf(); ++u)
    for (std::int64_t v = 0; v < p.wf(); ++v) {
      const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
      const bool inside = h >= 0 && h < p.hi() && w >= 0 && w < p.wi();
      for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
        sum += (inside ? sources_.x(n, first + c, h, w) : 0.0) * sources_.w(o, c, u, v);
    }
  return rounded(model_->dtype(), sum);
}

}  // namespace convlens::viewer
