// What an algorithm promises about rounding and about NaN and Inf; the checker holds it to that.
//
// Three promises (the numerical contract; u = unit roundoff of the accumulator, γ(n) = n·u/(1 − n·u)):
//   (a) exact   on small integers, chosen so that every intermediate is exact, the result equals the oracle
//   (b) worst   |y − oracle| ≤ bound + u_out·|y| + half the smallest subnormal of the output, always
//   (c) likely  for f32 rows that do not transform: |y − oracle| ≤ 2·√K·u·Σ|x||w| + output rounding
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/view.h"

namespace convlens {

// How far a NaN or Inf may spread beyond the outputs that depend on it.
enum class Spread : std::uint8_t { exact, tile, image };

// The integers that promise (a) is checked with.
struct ExactInputs {
  int x_max = 5;            // x ∈ {−x_max … x_max}
  int w_max = 3;            // w ∈ w_unit · {−w_max … w_max}
  std::int64_t w_unit = 1;  // what clears the denominators of a filter transform
  bool bitwise = true;      // false: the result is within ¼ of the integer
  bool made = true;         // false: intermediates in a short type are too coarse for either, (a) is not promised
};

// What a worst-case bound is computed from: the inputs as float64 in NCHW and OIHW order, dense, and, as the oracle
// has it, Σ|x||w| (plus |bias|) of every output in NCHW order.
struct BoundInputs {
  const ConvProblem& problem;
  View<const double> x;
  View<const double> w;
  std::span<const double> sum_abs;
};

struct ErrorModel {
  ExactInputs exact;
  // Writes the bound of promise (b), without the output rounding, for every output in NCHW order.
  std::function<void(const BoundInputs&, std::span<double> bound)> worst_case;
  bool likely = true;  // promise (c) is made
  Spread spread = Spread::exact;
  // For Spread::tile: outputs in the same tile_h × tile_w tile as one that depends on the NaN may be lost too.
  std::int64_t tile_h = 1, tile_w = 1;
};

// γ(n) = n·u / (1 − n·u).
double gamma(double n, double unit_roundoff);

// The model of every row that adds the K products of each output in some order, with no transform:
// γ(K + 1)·Σ|x||w|, the one more for the bias. `dtype` is the tensors' type.
ErrorModel plain_sum_model(const ConvProblem& problem, DType dtype);

}  // namespace convlens
