#include "algorithms/fft/fft_error.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace convlens::fft {

namespace {

double norm(const View<const double>& tensor, const Box& box) {
  double squares = 0;
  for (std::int64_t h = box.first[2]; h < box.first[2] + box.extent[2]; ++h)
    for (std::int64_t w = box.first[3]; w < box.first[3] + box.extent[3]; ++w) {
      const double value = tensor(box.first[0], box.first[1], h, w);
      squares += value * value;
    }
  return std::sqrt(squares);
}

// ‖·‖₂ of everything that one cell of a spectrum is made of.
template <class M>
double norm_of_sources(const M& map, const Coord& cell, const View<const double>& tensor) {
  double sum = 0;
  map.sources(cell, [&](const Term& term) { sum = std::hypot(sum, norm(tensor, term.at)); });
  return sum;
}

struct Bound {
  InputSpectrumMap input;
  FilterSpectrumMap filter;
  double log2_points, points, u, tiny;
  std::int64_t phases;
  std::optional<ShortSpectra> stored;

  // Of one output channel in one tile; `x` and `w` are the norms of the channels it sums over, and largest_x and
  // largest_w the largest |element| of the tile and of the output channel's filter.
  double operator()(const double* x, const double* w, std::int64_t channels, double largest_x, double largest_w) const {
    double products = 0, x_sum = 0, w_sum = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      products += x[c] * w[c];
      x_sum += x[c], w_sum += w[c];
    }
    const double terms = static_cast<double>(channels * phases);
    const double underflow = tiny * log2_points * (std::sqrt(points) * (x_sum + w_sum) + terms + 1);
    if (!stored) return (3 * log2_points + terms) * u * products + underflow;
    // A complex product is four real ones, in sums twice as long: √2 · 4 · 2 additions' roundings.
    const double additions = 12 * stored->sums * terms, larger = stored->multiplications == 3 ? 4 : 1;
    const double u_s = stored->roundoff, step = stored->smallest / 2;
    return ((3 * log2_points + additions) * u + (2 + u_s) * u_s) * larger * products + underflow +
           larger * std::sqrt(2) * step * 4 * points * 0x1p-15 * (largest_x * w_sum + largest_w * x_sum);
  }
};

double largest_of(const View<const double>& tensor, const Box& box) {
  double most = 0;
  for (std::int64_t h = box.first[2]; h < box.first[2] + box.extent[2]; ++h)
    for (std::int64_t w = box.first[3]; w < box.first[3] + box.extent[3]; ++w)
      if (const double value = std::abs(tensor(box.first[0], box.first[1], h, w)); std::isfinite(value))
        most = std::max(most, value);
  return most;
}
template <class M>
double largest_of_sources(const M& map, const Coord& cell, const View<const double>& tensor) {
  double most = 0;
  map.sources(cell, [&](const Term& term) { most = std::max(most, largest_of(tensor, term.at)); });
  return most;
}

void write_bounds(const Bound& bound_of, const BoundInputs& in, std::span<double> bound) {
  const ConvProblem& p = in.problem;
  const InputSpectrumMap& map = bound_of.input;
  const std::int64_t channels = p.ci_per_group();
  std::vector<double> w_norm, x_norm(static_cast<std::size_t>(p.ci()));
  std::vector<double> largest_w(static_cast<std::size_t>(p.co()), 0);
  for (std::int64_t o = 0; o < p.co(); ++o)
    for (std::int64_t c = 0; c < channels; ++c) {
      w_norm.push_back(norm_of_sources(bound_of.filter, {o, c}, in.w));
      double& most = largest_w[static_cast<std::size_t>(o)];
      if (bound_of.stored) most = std::max(most, largest_of_sources(bound_of.filter, {o, c}, in.w));
    }

  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t i = 0; i < map.rows.tiles; ++i)
      for (std::int64_t j = 0; j < map.columns.tiles; ++j) {
        double largest_x = 0;
        for (std::int64_t c = 0; c < p.ci(); ++c) {
          x_norm[static_cast<std::size_t>(c)] = norm_of_sources(map, {n, c, i, j}, in.x);
          if (bound_of.stored) largest_x = std::max(largest_x, largest_of_sources(map, {n, c, i, j}, in.x));
        }
        for (std::int64_t o = 0; o < p.co(); ++o) {
          const double rounding = bound_of(&x_norm[static_cast<std::size_t>(p.group_of_output(o) * channels)],
                                           &w_norm[static_cast<std::size_t>(o * channels)], channels, largest_x,
                                           largest_w[static_cast<std::size_t>(o)]);
          for (std::int64_t r = 0; r < map.rows.outputs(i); ++r)
            for (std::int64_t s = 0; s < map.columns.outputs(j); ++s) {
              const std::int64_t row = map.rows.first_output(i) + r, column = map.columns.first_output(j) + s;
              const auto k = static_cast<std::size_t>(((n * p.co() + o) * p.ho() + row) * p.wo() + column);
              bound[k] = rounding + (p.bias() ? bound_of.u * in.sum_abs[k] : 0);  // the addition of the bias
            }
        }
      }
}

// Promise (a), within ¼. Roundings of short bins are independent, so that an output's error has about the deviation
// u_s·√K of its products'; eight times that must be less than ¼.
ExactInputs short_exact_inputs(const ConvProblem& problem, const ShortSpectra& stored) {
  constexpr double kDeviations = 8, kProduct = 1.5;  // of x ∈ {−2 … 2} and w ∈ {−1, 0, 1}, about
  const double deviation = stored.roundoff * kProduct * (stored.multiplications == 3 ? 2 : 1) *
                           std::sqrt(static_cast<double>(problem.reduction()));
  return {.x_max = 2, .w_max = 1, .bitwise = false, .made = kDeviations * deviation <= 0.25};
}

}  // namespace

ErrorModel error_model(const ConvProblem& problem, DType dtype, const Lengths& lengths, Spread spread,
                       std::int64_t phases, const std::optional<ShortSpectra>& stored) {
  const DType sum = accumulator_of(dtype);
  const Bound bound_of{InputSpectrumMap(problem, lengths),
                       FilterSpectrumMap(problem, lengths),
                       lengths.log2_points(),
                       static_cast<double>(lengths.points()),
                       unit_roundoff(sum),
                       smallest_subnormal(sum),
                       phases,
                       stored};
  ErrorModel model;
  model.exact.bitwise = false;
  if (stored) model.exact = short_exact_inputs(problem, *stored);
  model.worst_case = [bound_of](const BoundInputs& in, std::span<double> bound) { write_bounds(bound_of, in, bound); };
  model.likely = false;
  model.spread = spread;
  model.tile_h = bound_of.input.rows.per_tile;
  model.tile_w = bound_of.input.columns.per_tile;
  return model;
}

}  // namespace convlens::fft
