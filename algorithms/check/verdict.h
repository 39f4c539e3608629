// Compares outputs with what they should be, one promise at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/tensor/dtype.h"
#include "algorithms/tensor/layout.h"

namespace convlens {

// One of the promises, kept or not.
struct Verdict {
  std::string promise;  // "exact" | "worst" | "likely" | "nonfinite"
  bool made = false;    // false: the row does not promise this, nothing was checked
  bool kept = true;
  std::string fault{};        // what a run did besides computing wrong numbers: "wrote outside y"; "" if nothing
  double ratio = 0;           // the largest error / bound; for exact and nonfinite the number of wrong outputs
  std::optional<Shape> at{};  // the output (n, o, p, q) that is furthest off; none where there is no output at all
  double got = 0, expected = 0, bound = 0;  // there

  std::string line() const;  // "worst: y(0,3,1,2) = 1.25, expected 1.5 ± 3e-07 (ratio 8.3e+05)"
};

// Collects errors output by output.
class Comparison {
 public:
  // Outputs are numbered in NCHW order; equal infinities and two NaN have no error, a NaN on one side an infinite one.
  void add(std::size_t output, double got, double expected, double bound);

  // Fills in whether `verdict` is kept and where it is furthest off; its ratio is `count_wrong` or the largest.
  void conclude(Verdict& verdict, const Shape& y_shape, bool count_wrong) const;

 private:
  std::int64_t wrong_ = 0;
  double ratio_ = 0;
  std::size_t output_ = 0;
  double got_ = 0, expected_ = 0, bound_ = 0;
};

// "y(0,3,1,2) = 1.25, not 1.5" for the first output whose bits differ, or "".
std::string first_difference(std::span<const double> got, std::span<const double> expected, const Shape& y_shape);

}  // namespace convlens
