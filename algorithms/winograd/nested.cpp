#include "algorithms/winograd/nested.h"

#include <cmath>

#include "algorithms/error.h"

namespace convlens {

std::string size_text(std::int64_t h, std::int64_t w) { return std::to_string(h) + "x" + std::to_string(w); }

namespace {

// Along one axis, where the longer axis has `longest` points. A shorter one takes the beginning of the list.
CookToom along(const TileAxis& axis, const std::string& option, std::int64_t longest) {
  if (option == "auto") return cook_toom(axis.m, axis.r, default_points(axis.n()));
  std::vector<Rational> points = parse_points(option).value_or(std::vector<Rational>{});
  if (static_cast<std::int64_t>(points.size()) != longest - 1)
    throw BadInput("points: " + std::to_string(points.size()) + " finite ones (" + option + "), must be " +
                   std::to_string(longest - 1));
  points.resize(static_cast<std::size_t>(axis.n() - 1));
  return cook_toom(axis.m, axis.r, points);
}

struct Largest {
  Rational numerator, denominator;
};

// Over all rows. Throws Unsupported unless single precision holds every numerator and denominator exactly.
Largest largest(const FractionMatrix& matrix) {
  std::int64_t numerator = 1, denominator = 1;
  const auto check = [](const char* what, std::int64_t value) {
    if (static_cast<double>(static_cast<float>(value)) != static_cast<double>(value))
      throw Unsupported(std::string(what) + " of " + std::to_string(value) +
                        " in a transform, needs more than 24 bits");
  };
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    const IntegerRow row = integer_row(matrix, i);
    for (std::int64_t value : row.numerators) {
      check("a numerator", value);
      numerator = std::max(numerator, std::abs(value));
    }
    check("a denominator", row.denominator);
    denominator = std::max(denominator, row.denominator);
  }
  return {numerator, denominator};
}

// The index maps multiply a coefficient of `h` by one of `w`: tried now, those products cannot overflow
// later.
void check_exact(const FractionMatrix& h, const FractionMatrix& w) {
  const Largest of_h = largest(h), of_w = largest(w);
  static_cast<void>(of_h.numerator * of_w.numerator);
  static_cast<void>(of_h.denominator * of_w.denominator);
}

std::vector<double> row_sums(const FractionMatrix& matrix) {
  std::vector<double> sums;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) sums.push_back(integer_row(matrix, i).absolute_value());
  return sums;
}

int smallest_exponent(const FractionMatrix& h, const FractionMatrix& w) {
  return std::ilogb(std::ranges::min(row_sums(h)) * std::ranges::min(row_sums(w)));
}

// The exponent e ≤ 0 for which 2^e · (the largest sum of |coefficients| of the nested transform) ≤ 1.
int scale_exponent(const FractionMatrix& h, const FractionMatrix& w) {
  const double sum = std::ranges::max(row_sums(h)) * std::ranges::max(row_sums(w));
  int exponent = 0;
  while (std::ldexp(sum, exponent) > 1) --exponent;
  return exponent;
}

FractionMatrix scaled(FractionMatrix matrix, int exponent) {
  Rational factor = 1;
  for (int e = 0; e < std::abs(exponent); ++e) factor = factor * (exponent < 0 ? Rational(1, 2) : Rational(2));
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (std::int64_t k = 0; k < matrix.columns(); ++k) matrix(i, k) = factor * matrix(i, k);
  return matrix;
}

}  // namespace

DType stored_type(const Request& request) {
  const DType accumulator = accumulator_of(request.dtype);
  const bool choice = request.dtype != accumulator;  // rows that compute in one type only have no such option
  return choice && request.options.is("stored", "tensor") ? request.dtype : accumulator;
}

TileAxis tile_rows(const Request& request) {
  const ConvProblem& p = request.problem;
  return {p.hi(), p.ho(), p.spec().pad_top, p.hf() == 1 ? 1 : request.options.integer("m"), p.hf()};
}

TileAxis tile_columns(const Request& request) {
  const ConvProblem& p = request.problem;
  return {p.wi(), p.wo(), p.spec().pad_left, p.wf() == 1 ? 1 : request.options.integer("m"), p.wf()};
}

Nested nest(const Request& request) {
  Nested f{.rows = tile_rows(request), .columns = tile_columns(request), .h = {}, .w = {}, .scaled_h = {}};
  const std::int64_t longest = std::max(f.rows.n(), f.columns.n());
  f.h = along(f.rows, request.options["points"], longest);
  f.w = along(f.columns, request.options["points"], longest);
  if (size_of(stored_type(request)) == 2) {
    f.v_exponent = scale_exponent(f.h.bt, f.w.bt);
    f.u_exponent = scale_exponent(f.h.g, f.w.g);
  }
  f.scaled_h = f.h;
  f.scaled_h.bt = scaled(f.h.bt, f.v_exponent);
  f.scaled_h.g = scaled(f.h.g, f.u_exponent);
  f.scaled_h.at = scaled(f.h.at, -f.v_exponent - f.u_exponent);

  check_exact(f.scaled_h.bt, f.w.bt);
  check_exact(f.scaled_h.g, f.w.g);
  check_exact(f.scaled_h.at, f.w.at);
  return f;
}

int Nested::smallest_v() const { return smallest_exponent(scaled_h.bt, w.bt); }
int Nested::smallest_u() const { return smallest_exponent(scaled_h.g, w.g); }

std::string Nested::name() const { return "F(" + size_text(h.m, w.m) + "," + size_text(h.r, w.r) + ")"; }

std::string Nested::points() const {
  if (h.n() == w.n() || w.n() == 1) return "points " + text(h.points);
  if (h.n() == 1) return "points " + text(w.points);
  return "points of rows " + text(h.points) + ", of columns " + text(w.points);
}

}  // namespace convlens
