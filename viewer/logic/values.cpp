#include "viewer/logic/values.h"

#include <array>
#include <cmath>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "viewer/logic/each_cell.h"
#include "viewer/logic/effort.h"

namespace convlens::viewer {

namespace {

// Filters that everyone knows, 3×3, one after the other along the output channels.
constexpr std::array<std::array<double, 9>, 5> kFilters{{
    {-1, 0, 1, -2, 0, 2, -1, 0, 1},                                                     // Sobel, vertical edges
    {-1, -2, -1, 0, 0, 0, 1, 2, 1},                                                     // Sobel, horizontal edges
    {1 / 16., 2 / 16., 1 / 16., 2 / 16., 4 / 16., 2 / 16., 1 / 16., 2 / 16., 1 / 16.},  // Gaussian
    {0, -1, 0, -1, 5, -1, 0, -1, 0},                                                    // sharpen
    {-2, -1, 0, -1, 1, 1, 0, 1, 2},                                                     // emboss
}};

// Such a filter in the middle of H_f × W_f taps, divided among the channels so that outputs stay in the picture's
// range.
double known_tap(const ConvProblem& p, std::int64_t o, std::int64_t u, std::int64_t v) {
  const std::int64_t row = u - (p.hf() - 1) / 2 + 1, column = v - (p.wf() - 1) / 2 + 1;
  if (row < 0 || row > 2 || column < 0 || column > 2) return 0;
  const auto& filter = kFilters[static_cast<std::size_t>(o) % kFilters.size()];
  return filter[static_cast<std::size_t>(row * 3 + column)] / static_cast<double>(p.ci_per_group());
}

// Which samples of a side of `of` one cell of `size` covers, and their weights, which sum up to 1. Where cells are
// smaller than samples, the two nearest are blended.
struct Cover {
  double begin = 0, width = 1;
  std::int64_t first = 0, end = 0;

  Cover(std::int64_t at, std::int64_t size, std::int64_t of) {
    const double step = static_cast<double>(of) / static_cast<double>(size);
    width = std::max(1.0, step);
    begin = std::clamp((static_cast<double>(at) + 0.5) * step - width / 2, 0.0, static_cast<double>(of) - width);
    first = static_cast<std::int64_t>(begin);
    end = std::min(of, static_cast<std::int64_t>(std::ceil(begin + width)));
  }
  double weight(std::int64_t k) const {
    const double from = std::max(begin, static_cast<double>(k)),
                 to = std::min(begin + width, static_cast<double>(k + 1));
    return (to - from) / width;
  }
};

// The whole photograph stretched over H_i × W_i: every cell is the mean of what it covers.
struct Stretch {
  Photograph photo;
  std::int64_t height, width;

  double at(std::int64_t h, std::int64_t w, int channel) const {
    const Cover rows(h, height, photo.height), columns(w, width, photo.width);
    double sum = 0;
    for (std::int64_t r = rows.first; r < rows.end; ++r)
      for (std::int64_t c = columns.first; c < columns.end; ++c)
        sum += rows.weight(r) * columns.weight(c) *
               static_cast<double>(
                   photo.samples[static_cast<std::size_t>((r * photo.width + c) * photo.channels + channel)]);
    return sum;
  }

  std::vector<double> cells() const {
    std::vector<double> cells;
    cells.reserve(static_cast<std::size_t>(height * width * photo.channels));
    for (std::int64_t h = 0; h < height; ++h)
      for (std::int64_t w = 0; w < width; ++w)
        for (int channel = 0; channel < photo.channels; ++channel) cells.push_back(at(h, w, channel));
    return cells;
  }
};

}  // namespace

namespace {

// x is the array, where it has the layer's shape.
Element numbers_of(const ConvProblem& p, const std::shared_ptr<const Numbers>& numbers) {
  const auto text = [](const Shape& s) {
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]) + "x" + std::to_string(s[3]);
  };
  const Shape s = p.x_shape();
  if (numbers->shape != s)
    throw BadInput("picture: an array of " + text(numbers->shape) + " numbers, must be as the layer's input, " +
                   text(s));
  return [numbers, s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return numbers->values[static_cast<std::size_t>(((n * s[1] + c) * s[2] + h) * s[3] + w)];
  };
}

}  // namespace

Sources picture_sources(const ConvProblem& p, const Photograph& photo) {
  Sources sources{{},
                  [p](std::int64_t o, std::int64_t, std::int64_t u, std::int64_t v) { return known_tap(p, o, u, v); },
                  [](std::int64_t) { return 0.0; }};
  if (photo.numbers) {
    sources.x = numbers_of(p, photo.numbers);
    return sources;
  }
  const auto stretch = std::make_shared<const Stretch>(Stretch{photo, p.hi(), p.wi()});
  // Small images are made once, whose cells are means of many pixels; a cell of a large one when it is asked for.
  constexpr std::int64_t kMostMade = std::int64_t{1} << 20;
  if (p.hi() * p.wi() > kMostMade) {
    sources.x = [stretch](std::int64_t, std::int64_t c, std::int64_t h, std::int64_t w) {
      return stretch->at(h, w, static_cast<int>(c % stretch->photo.channels));
    };
  } else {
    sources.x = [cells = std::make_shared<const std::vector<double>>(stretch->cells()), width = p.wi(),
                 channels = photo.channels](std::int64_t, std::int64_t c, std::int64_t h, std::int64_t w) {
      return (*cells)[static_cast<std::size_t>((h * width + w) * channels + c % channels)];
    };
  }
  return sources;
}

Sources random_sources(const ConvProblem& p, std::uint64_t seed) {
  const auto stream = [seed](std::uint64_t number, const Shape& s) -> Element {
    return [key = random_bits(seed, number), s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
      return random_uniform(key, static_cast<std::uint64_t>(((n * s[1] + c) * s[2] + h) * s[3] + w));
    };
  };
  return {stream(0, p.x_shape()), stream(1, p.w_shape()),
          [key = random_bits(seed, 2)](std::int64_t o) { return random_uniform(key, static_cast<std::uint64_t>(o)); }};
}

Values::Values(std::shared_ptr<const Model> model, Sources sources)
    : model_(std::move(model)), sources_(std::move(sources)) {
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

double Values::largest(const Exhibit& exhibit) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = largest_.find(exhibit.id); found != largest_.end()) return found->second;
  }
  const double largest = sample_largest(exhibit);
  const std::scoped_lock lock(mutex_);
  return largest_.emplace(exhibit.id, largest).first->second;
}

double Values::sample_largest(const Exhibit& exhibit) const {
  if (exhibit.cells() == 0) return 1;
  constexpr int kSamples = 300;
  const std::size_t rank = exhibit.axes.size();
  double largest = 0;
  for (int k = 0; k < kSamples; ++k) {
    Coord cell{};  // the first sample is cell 0: of a spectrum, the sum of the tile
    for (std::size_t axis = exhibit.complex ? rank - 2 : 0; axis < rank && k > 0; ++axis)
      cell[axis] =
          static_cast<std::int64_t>(random_bits(static_cast<std::uint64_t>(k), axis) >> 1) % exhibit.axes[axis].extent;
    const double magnitude = std::abs(at(exhibit, cell));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest > 0 ? largest : 1;
}

std::complex<double> Values::of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const {
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
  if (holds_spectra(stage)) return spectrum(stage, spectral_.at(&stage).cell(cell))->roundoff;
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
  return sum;
}

}  // namespace convlens::viewer
