#include "algorithms/fft/fft_error.h"

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

  // Of one output channel in one tile; `x` and `w` are the norms of the channels it sums over.
  double operator()(const double* x, const double* w, std::int64_t channels) const {
    double products = 0, sums = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      products += x[c] * w[c];
      sums += x[c] + w[c];
    }
    const double terms = static_cast<double>(channels * phases);
    return (3 * log2_points + terms) * u * products + tiny * log2_points * (std::sqrt(points) * sums + terms + 1);
  }
};

void write_bounds(const Bound& bound_of, const BoundInputs& in, std::span<double> bound) {
  const ConvProblem& p = in.problem;
  const InputSpectrumMap& map = bound_of.input;
  const std::int64_t channels = p.ci_per_group();
  std::vector<double> w_norm, x_norm(static_cast<std::size_t>(p.ci()));
  for (std::int64_t o = 0; o < p.co(); ++o)
    for (std::int64_t c = 0; c < channels; ++c) w_norm.push_back(norm_of_sources(bound_of.filter, {o, c}, in.w));

  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t i = 0; i < map.rows.tiles; ++i)
      for (std::int64_t j = 0; j < map.columns.tiles; ++j) {
        for (std::int64_t c = 0; c < p.ci(); ++c)
          x_norm[static_cast<std::size_t>(c)] = norm_of_sources(map, {n, c, i, j}, in.x);
        for (std::int64_t o = 0; o < p.co(); ++o) {
          const double rounding = bound_of(&x_norm[static_cast<std::size_t>(p.group_of_output(o) * channels)],
                                           &w_norm[static_cast<std::size_t>(o * channels)], channels);
          for (std::int64_t r = 0; r < map.rows.outputs(i); ++r)
            for (std::int64_t s = 0; s < map.columns.outputs(j); ++s) {
              const std::int64_t row = map.rows.first_output(i) + r, column = map.columns.first_output(j) + s;
              const auto k = static_cast<std::size_t>(((n * p.co() + o) * p.ho() + row) * p.wo() + column);
              bound[k] = rounding + (p.bias() ? bound_of.u * in.sum_abs[k] : 0);  // the addition of the bias
            }
        }
      }
}

}  // namespace

ErrorModel error_model(const ConvProblem& problem, DType dtype, const Lengths& lengths, Spread spread,
                       std::int64_t phases) {
  const DType sum = accumulator_of(dtype);
  const Bound bound_of{InputSpectrumMap(problem, lengths),
                       FilterSpectrumMap(problem, lengths),
                       lengths.log2_points(),
                       static_cast<double>(lengths.points()),
                       unit_roundoff(sum),
                       smallest_subnormal(sum),
                       phases};
  ErrorModel model;
  model.exact.bitwise = false;
  model.worst_case = [bound_of](const BoundInputs& in, std::span<double> bound) { write_bounds(bound_of, in, bound); };
  model.likely = false;
  model.spread = spread;
  model.tile_h = bound_of.input.rows.per_tile;
  model.tile_w = bound_of.input.columns.per_tile;
  return model;
}

}  // namespace convlens::fft
