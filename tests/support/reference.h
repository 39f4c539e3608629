// The right answer of a case, and whether what a row computed is that answer.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "tests/support/rows.h"

namespace convlens::testing {

// Inputs already rounded to `dtype`, and y by the definition in float64, which is exact for all data of the
// cases. All in logical order.
struct Reference {
  ConvProblem problem;
  DType dtype = DType::f32;
  std::vector<double> x, w, bias, y;
  std::vector<double> sum_abs;  // |bias| + Σ|x||w| of each output

  Reference(const ConvProblem& problem, DType dtype, std::vector<double> x, std::vector<double> w,
            std::vector<double> bias);
};

// For transforms: no limit but what the row promises.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Judges the outputs of one row on one type.
//
//   rows that add up products   every output is the exact one, rounded once; NaN and Inf are where they
//   belong rows that transform         |y − exact| ≤ `tolerance` (beyond what rounding the exact value
//   costs), and what the
//                               plan's error model promises; a NaN is never lost and spreads no further than
//                               declared
class Judge {
 public:
  // `tolerance`: for transforms; 0 takes the limits of the cases for filters up to 3×3, 10⁻³ (f32) and ¼
  // (f16), and 10⁻⁹ for f64.
  Judge(const Plan& plan, const Reference& reference, double tolerance);

  // What is wrong with `y` (in logical order), naming the first wrong output and how many there are; or "".
  std::string complaint(const std::vector<double>& y) const;

 private:
  bool right(std::size_t k, double got) const;

  const Reference& reference_;
  bool transforms_;
  double tolerance_;
  std::vector<double> promise_;    // of transforms on finite data; otherwise empty
  std::vector<bool> may_be_lost_;  // outputs that a declared spread gives up
};

// Whether two runs gave the same bits, up to which NaN it is.
bool same(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace convlens::testing
