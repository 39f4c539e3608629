// The error of a transform, from its matrices.
//
// Write V′ = |Bᵀ||d||B|, U′ = |G||g||Gᵀ| and T = |Aᵀ|[Σ_c U′ ⊙ V′]|A|: the algorithm on absolute values.
// Every computed number is a sum whose terms passed through at most k roundings, hence off by at most γ(k)
// times the sum of |terms| (Higham, "Accuracy and stability of numerical algorithms", 2002, section 3.1).
// Counting k along a term:
//
//   Bᵀ, G, Aᵀ, along each axis: a row of e entries   e + 1   a product, e − 1 additions, a division
//   the sum over channels                            C_i/G   a product, C_i/G − 1 additions
//   the bias                                         1       an addition
//
// which is 4n + 6 + C_i/G for square 3×3 filters with 0 among the points. Storing U and V in a short type
// costs a factor of 1 + u_s each. Together: |error| ≤ φ·T + u·|bias|, where φ = (1 + u_s)²·(1 + γ(k)) − 1,
// which is about γ(k) + 2u_s.
//
// Below the smallest normal number roundings are absolute. With η the smallest subnormal of the accumulator
// (twice what a rounding may lose, as half of float64's is no number) and ρ the largest row sum of the second
// matrix: the divisions add η·(1 + ρ) to each cell of V, U and Y, the stores half the smallest subnormal of
// the short type to V and U, the products η a channel to M. Call these α_V, α_U, α_M and α_Y. Since
//
//   φ·(V′ + κα_V)·(U′ + κα_U) ≥ φV′U′ + (1 + φ)(α_V U′ + α_U V′ + α_V α_U)      with κ = (1 + φ)/φ,
//
// adding κα to every cell of the algorithm on absolute values covers them.
#include "algorithms/winograd/winograd_error.h"

#include <omp.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/winograd/winograd_passes.h"

namespace convlens {

namespace {

std::int64_t roundings(const FractionMatrix& matrix) {
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) most = std::max(most, integer_row(matrix, i).entries() + 1);
  return most;
}
std::int64_t roundings(const CookToom& f) { return roundings(f.bt) + roundings(f.g) + roundings(f.at); }

double largest_row_sum(const FractionMatrix& matrix) {
  double most = 0;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) most = std::max(most, integer_row(matrix, i).absolute_value());
  return most;
}

struct WorstCase {
  ConvProblem problem;
  DType dtype;  // of V and U
  std::shared_ptr<const Nested> nested;
  double sums;  // roundings that an addition over channels is worth

  bool stored_short() const { return size_of(dtype) == 2; }

  double phi() const {
    const double k = static_cast<double>(roundings(nested->h) + roundings(nested->w) + (problem.bias() ? 1 : 0)) +
                     sums * static_cast<double>(problem.ci_per_group());
    const double stored = stored_short() ? 1 + unit_roundoff(dtype) : 1;
    return stored * stored * (1 + gamma(k, unit_roundoff(accumulator_of(dtype)))) - 1;
  }

  void operator()(const BoundInputs& inputs, std::span<double> bound) const {
    const Nested& f = *nested;
    const double phi = this->phi(), kappa = (1 + phi) / phi;
    const double u = unit_roundoff(accumulator_of(dtype)), eta = smallest_subnormal(accumulator_of(dtype));
    const double stored = stored_short() ? smallest_subnormal(dtype) / 2 : 0;
    const double alpha_v = eta * (1 + largest_row_sum(f.w.bt)) + stored;
    const double alpha_u = eta * (1 + largest_row_sum(f.w.g)) + stored;
    const double alpha_m = eta * static_cast<double>(problem.ci_per_group());
    const double alpha_y = eta * (1 + largest_row_sum(f.w.at));

    const auto absolute = [](View<const double> view) {
      std::vector<double> values(view.data, view.data + elements(view.shape));
      for (double& value : values) value = std::abs(value);
      return values;
    };
    const std::vector<double> x = absolute(inputs.x), w = absolute(inputs.w);
    const ConvProblem image = problem.with_batch(1);  // one at a time, to need little memory
    const auto cells = [&](std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(f.products() * a * b); };
    std::vector<double> v(cells(f.tiles(), image.ci())), u_cells(cells(image.co(), image.ci_per_group()));
    std::vector<double> m(cells(f.tiles(), image.co()));

    const int threads = omp_get_max_threads();
    const Transforms<double> transforms(f, Coefficients::absolute_values);
    transform_filter<double, double>(f, transforms.filter, {w.data(), inputs.w.shape, inputs.w.strides}, u_cells.data(),
                                     threads);
    for (double& cell : u_cells) cell += kappa * alpha_u;
    const Strides x_strides = dense_strides(Layout::NCHW, image.x_shape()),
                  y_strides = dense_strides(Layout::NCHW, image.y_shape());
    for (std::int64_t n = 0; n < problem.n(); ++n) {
      transform_input<double, double>(f, transforms.input, {x.data() + n * x_strides[0], image.x_shape(), x_strides},
                                      v.data(), threads);
      for (double& cell : v) cell += kappa * alpha_v;
      multiply(f, image, v.data(), u_cells.data(), m.data(), threads);
      for (double& cell : m) cell += kappa * alpha_m;
      transform_output<double>(f, transforms.output, m.data(), {},
                               {bound.data() + n * y_strides[0], image.y_shape(), y_strides}, threads);
    }
    for (std::size_t k = 0; k < bound.size(); ++k)
      bound[k] = phi * bound[k] + (1 + phi) * alpha_y + (problem.bias() ? u * inputs.sum_abs[k] : 0);
  }
};

// Promise (a). With w in multiples of L, the odd part of the common denominators of G, every cell of V and U
// is an integer over a power of two, and everything is exact as long as these integers are short enough:
// those of V and U for the stored type, which can be proved, and those of the sums for the accumulator, which
// depends on the data. Over independent data of mean zero the terms of an output's last sum have the
// deviation `spread`; eight times that, which none of a billion sums exceeds, must fit. (The proof for all
// data would stop F(4x4,3x3) at six channels.)
constexpr double kDeviations = 8;
constexpr int kLargestX = 2;

std::int64_t odd_part(std::int64_t value) {
  while (value % 2 == 0) value /= 2;
  return value;
}

// Of all coefficients; nothing when it has more than 24 bits.
std::optional<std::int64_t> common_denominator(const FractionMatrix& matrix) {
  std::int64_t common = 1;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    const std::int64_t denominator = integer_row(matrix, i).denominator;
    if (denominator > 1 << 24) return std::nullopt;
    common = std::lcm(common, denominator);
    if (common > 1 << 24) return std::nullopt;
  }
  return common;
}

// Whether the transform makes numbers of `dtype` of all multiples of `unit` up to `most`·`unit`.
bool representable(const FractionMatrix& h, const FractionMatrix& w, std::int64_t unit, std::int64_t most,
                   DType dtype) {
  for (std::int64_t i = 0; i < h.rows(); ++i)
    for (std::int64_t k = 0; k < w.rows(); ++k) {
      const IntegerRow row = integer_row(h, i), column = integer_row(w, k);
      const std::int64_t denominator = row.denominator * column.denominator, odd = odd_part(denominator);
      const double integer = static_cast<double>(row.absolute_sum()) * static_cast<double>(column.absolute_sum()) *
                             static_cast<double>(unit / odd * most);
      if (unit % odd != 0 || integer * unit_roundoff(dtype) > 1) return false;
      if (static_cast<double>(denominator / odd) * smallest_subnormal(dtype) > 1) return false;
    }
  return true;
}

// How much larger than one product of unit deviation the terms of an output are, along one axis.
double growth(const CookToom& f) {
  const auto squares = [](const FractionMatrix& matrix, std::int64_t row) {
    double sum = 0;
    for (std::int64_t k = 0; k < matrix.columns(); ++k) sum += matrix(row, k).value() * matrix(row, k).value();
    return sum;
  };
  double most = 0;
  for (std::int64_t p = 0; p < f.m; ++p) {
    double sum = 0;
    for (std::int64_t i = 0; i < f.n(); ++i)
      sum += f.at(p, i).value() * f.at(p, i).value() * squares(f.bt, i) * squares(f.g, i);
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

// The number of units in 1, when every sum is a multiple of a unit of 2^−k; nothing when it is not.
std::optional<double> units_of_sums(const Nested& f) {
  double units = 1;
  for (const CookToom* axis : {&f.h, &f.w}) {
    const auto a = common_denominator(axis->at), b = common_denominator(axis->bt);
    const auto g = common_denominator(axis->g);
    if (!a || !b || !g || odd_part(*a) != 1 || odd_part(*b) != 1) return std::nullopt;
    units *= static_cast<double>(*a) * static_cast<double>(*b) * static_cast<double>(*g / odd_part(*g));
  }
  return units;
}

ExactInputs exact_inputs(const ConvProblem& problem, DType dtype, const Nested& f) {
  const double channels = static_cast<double>(problem.ci_per_group()), x_variance = 2,
               w_variance = 1;  // if w has no zeros
  const double spread = std::sqrt(channels * x_variance * w_variance) * growth(f.h) * growth(f.w);
  const double u = unit_roundoff(accumulator_of(dtype));

  if (const auto units = units_of_sums(f)) {
    const std::int64_t unit = odd_part(*common_denominator(f.h.g)) * odd_part(*common_denominator(f.w.g));
    const bool stores =
        representable(f.scaled_h.bt, f.w.bt, 1, kLargestX, dtype) && representable(f.scaled_h.g, f.w.g, unit, 1, dtype);
    if (stores && kDeviations * spread * static_cast<double>(unit) * *units * u <= 1)
      return {.x_max = kLargestX, .w_max = 1, .w_unit = unit, .bitwise = true};
  }
  // Rounding errors add up like the terms they belong to, each with its own sign.
  const double rounding = size_of(dtype) == 2 ? unit_roundoff(dtype) : u * std::sqrt(channels);
  return {.x_max = kLargestX, .w_max = 1, .bitwise = false, .made = kDeviations * spread * rounding <= 0.25};
}

}  // namespace

ErrorModel winograd_error_model(const ConvProblem& problem, DType dtype, std::shared_ptr<const Nested> nested,
                                double sums) {
  ErrorModel model;
  model.exact = exact_inputs(problem, dtype, *nested);
  model.worst_case = WorstCase{problem, dtype, nested, sums};
  model.likely = false;
  model.spread = Spread::tile;
  model.tile_h = nested->rows.m;
  model.tile_w = nested->columns.m;
  return model;
}

}  // namespace convlens
