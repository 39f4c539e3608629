// The Cook–Toom construction: F(m, r), m outputs of a filter with r taps from n = m + r − 1 products.
//
//   y = Aᵀ[(G g) ⊙ (Bᵀ d)]      y_p = Σ_u g_u · d_{p+u},  p < m, u < r,  d has n elements
//
// Two polynomials of m and r coefficients have a product of n coefficients, which its values at n points
// determine: evaluate both, multiply value by value, interpolate. Read backwards (transposed), that is the
// sum above: A evaluates m coefficients at the points, G evaluates the filter, and Bᵀ is the transposed
// interpolation. The last point is infinity, where a polynomial's value is its leading coefficient. F(2, 3)
// with the points 0, 1, −1, ∞ needs four products where the definition needs six:
//
//   m₁ = (d₀ − d₂)·g₀                    y₀ = m₁ + m₂ + m₃
//   m₂ = (d₁ + d₂)·(g₀ + g₁ + g₂)/2      y₁ = m₂ − m₃ − m₄
//   m₃ = (d₂ − d₁)·(g₀ − g₁ + g₂)/2
//   m₄ = (d₁ − d₃)·g₂
//
// Sources: Winograd, "Arithmetic complexity of computations", 1980; Lavin & Gray, "Fast algorithms for
// convolutional neural networks", 2016 (arXiv 1509.09308), whose matrices of F(2, 3) and F(4, 3) these are;
// Barabasz et al., "Error analysis and improving the accuracy of Winograd convolution for deep neural
// networks" (arXiv 1803.10986).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/interface/rational.h"

namespace convlens {

// A dense matrix of exact fractions.
class FractionMatrix {
 public:
  FractionMatrix() = default;
  FractionMatrix(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  Rational& operator()(std::int64_t row, std::int64_t column) { return values_[at(row, column)]; }
  const Rational& operator()(std::int64_t row, std::int64_t column) const { return values_[at(row, column)]; }
  bool operator==(const FractionMatrix&) const = default;

 private:
  std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * columns_ + column);
  }

  std::int64_t rows_ = 0, columns_ = 0;
  std::vector<Rational> values_;
};

// One row as integers over their least common denominator, so that integer data is summed exactly and rounded
// only by the one division. Throws Unsupported when that needs more than 64 bits.
struct IntegerRow {
  std::vector<std::int64_t> numerators;
  std::int64_t denominator = 1;

  std::int64_t entries() const;       // the numerators that are not zero
  std::int64_t absolute_sum() const;  // Σ |numerator|
  double absolute_value() const;      // Σ |numerator| / denominator
};
IntegerRow integer_row(const FractionMatrix& matrix, std::int64_t row);

struct CookToom {
  std::int64_t m = 1, r = 1;
  std::vector<Rational> points;  // the n − 1 finite ones; infinity is implied, and last
  FractionMatrix at;             // Aᵀ (m, n)
  FractionMatrix g;              // G  (n, r)
  FractionMatrix bt;             // Bᵀ (n, n)

  std::int64_t n() const { return m + r - 1; }
};

// The most points that there is a default list for. F(8x8,3x3), which uses them all, keeps three digits in
// f32.
inline constexpr std::int64_t kMaxPoints = 10;

// The default choice of n − 1 finite points, 1 ≤ n ≤ kMaxPoints; lists of smaller n are its beginnings.
std::vector<Rational> default_points(std::int64_t n);

// The matrices of F(m, r), m, r ≥ 1. `points` must hold m + r − 2 distinct fractions: throws BadInput
// otherwise, and Unsupported when a coefficient needs more than 64 bits.
CookToom cook_toom(std::int64_t m, std::int64_t r, const std::vector<Rational>& points);

// "0,1,1/2", or "0 1 1/2 inf", infinity last: distinct fractions of integers up to 1000; nothing for any other text.
std::optional<std::vector<Rational>> parse_points(std::string_view text);

std::string text(const std::vector<Rational>& points);  // "0 1 -1 1/2 -2 inf"
std::string text(const CookToom& matrices);             // Aᵀ, G and Bᵀ as fractions, over several lines

}  // namespace convlens
