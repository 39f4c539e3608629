// L·X·Rᵀ in floating point, for the small matrices of Winograd's transforms.
//
// Each row of L and R is a sum of integers times elements, divided once by the row's denominator. Zero
// coefficients are skipped, as in the index maps: a NaN reaches only the cells that it is a source of.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "algorithms/winograd/cook_toom.h"

namespace convlens {

// The elements of the largest tile that is computed, and of the largest of which an error model is asked: that of
// cuDNN's F(9×9, 5×5), kernels/vendor/cudnn_error.cpp.
inline constexpr std::size_t kMaxTile = static_cast<std::size_t>(kMaxPoints * kMaxPoints);
inline constexpr std::size_t kMaxModelledTile = 13 * 13;

enum class Coefficients : std::uint8_t { signed_values, absolute_values };

// A matrix of fractions as rows of (column, integer), ready to be applied to a strided vector.
template <class Real>
class SparseRows {
 public:
  SparseRows(const FractionMatrix& matrix, Coefficients which) : columns_(matrix.columns()) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) {
      const IntegerRow row = integer_row(matrix, i);
      for (std::int64_t k = 0; k < matrix.columns(); ++k) {
        const auto value = static_cast<Real>(row.numerators[static_cast<std::size_t>(k)]);
        if (value != 0) entries_.push_back({k, which == Coefficients::absolute_values ? std::abs(value) : value});
      }
      rows_.push_back({entries_.size(), static_cast<Real>(row.denominator)});
    }
  }

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t columns() const { return columns_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(entries_.size()); }

  void apply(const Real* in, std::int64_t in_step, Real* out, std::int64_t out_step) const {
    std::size_t entry = 0;
    for (const Row& row : rows_) {
      Real sum = 0;
      for (; entry < row.end; ++entry) sum += entries_[entry].numerator * in[entries_[entry].column * in_step];
      *out = sum / row.denominator;
      out += out_step;
    }
  }

 private:
  struct Entry {
    std::int64_t column;
    Real numerator;
  };
  struct Row {
    std::size_t end;  // of its entries, which begin where those of the row before end
    Real denominator;
  };
  std::int64_t columns_;
  std::vector<Entry> entries_;
  std::vector<Row> rows_;
};

template <class Real>
class Sandwich {
 public:
  using Tile = std::array<Real, kMaxModelledTile>;

  Sandwich(const FractionMatrix& left, const FractionMatrix& right, Coefficients which = Coefficients::signed_values)
      : left_(left, which), right_(right, which) {}

  std::int64_t out_rows() const { return left_.rows(); }
  std::int64_t out_columns() const { return right_.rows(); }
  std::int64_t in_rows() const { return left_.columns(); }
  std::int64_t in_columns() const { return right_.columns(); }

  // in (in_rows, in_columns) → out (out_rows, out_columns), both dense.
  void operator()(const Tile& in, Tile& out) const {
    Tile half;  // L·X, (out_rows, in_columns)
    for (std::int64_t k = 0; k < in_columns(); ++k)
      left_.apply(&in[static_cast<std::size_t>(k)], in_columns(), &half[static_cast<std::size_t>(k)], in_columns());
    for (std::int64_t i = 0; i < out_rows(); ++i)
      right_.apply(&half[static_cast<std::size_t>(i * in_columns())], 1,
                   &out[static_cast<std::size_t>(i * out_columns())], 1);
  }

  // Executed operations: with k entries a row makes k multiplications, k − 1 additions and a division.
  std::int64_t flops() const { return 2 * (left_.entries() * in_columns() + right_.entries() * out_rows()); }

 private:
  SparseRows<Real> left_, right_;
};

}  // namespace convlens
