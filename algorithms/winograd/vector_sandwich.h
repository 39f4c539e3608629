// L·X·Rᵀ, as sandwich.h computes it for one channel, for a vector of channels at a time.
//
//   out(i, j)[c] = Σ_k Σ_l L(i, k)·R(j, l) · in(k, l)[c] + add[c]      c < channels
//
// Each element of X and of the result is a pointer to its channels, so that the same code transforms windows of a
// picture (padding is a pointer to zeros), filters and products, wherever they lie. L and R hold the integer numerators
// of their rows; what the rows' denominators make together divides each result once, so that integers stay exact.
//
// Zero coefficients are multiplied like all others: the matrices are numbers to the compiler's unrolled loops, not
// structure. A NaN may therefore reach all of its tile, never more.
#pragma once

#include <array>
#include <cstdint>

#include "algorithms/winograd/cook_toom.h"
#include "algorithms/winograd/sandwich.h"

namespace convlens {

class VectorSandwich {
 public:
  struct Side {
    std::int64_t rows = 0, columns = 0;
    std::array<float, kMaxTile> numerators{};  // (rows, columns), dense
  };

  // What one call reads and writes.
  struct Channels {
    const float* const* in = nullptr;  // [in_rows · in_columns]
    std::int64_t in_offset = 0;        // added to each of them, in floats
    float* const* out = nullptr;       // [out_rows · out_columns]
    std::int64_t out_offset = 0;
    const float* add = nullptr;          // [channels], or null
    std::int64_t rows = 0, columns = 0;  // of the results, which are made: at most out_rows and out_columns
    std::int64_t channels = 0;
  };

  VectorSandwich(const FractionMatrix& left, const FractionMatrix& right);

  std::int64_t out_rows() const { return left_.rows; }
  std::int64_t out_columns() const { return right_.rows; }
  const Side& left() const { return left_; }
  const Side& right() const { return right_; }
  const float* divisors() const { return divisors_.data(); }  // (out_rows, out_columns), products of denominators
  const float* inverses() const { return inverses_.data(); }
  bool divides() const { return divides_; }  // whether there is a divisor other than 1

  // With vectors, or the same one number at a time.
  void apply(const Channels& channels, bool simd) const;

  // Executed operations a channel: a multiplication and an addition a coefficient.
  std::int64_t flops() const {
    return 2 * left_.rows * left_.columns * right_.columns + 2 * left_.rows * right_.rows * right_.columns;
  }

 private:
  Side left_, right_;
  std::array<float, kMaxTile> divisors_{}, inverses_{};
  bool divides_ = false;
};

}  // namespace convlens
