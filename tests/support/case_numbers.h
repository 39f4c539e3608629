// The integer data of the failure cases, and the two check sums that pin a whole output down.
//
// The numbers depend on logical coordinates alone, never on the layout. Products and sums of them are exact
// in every element type as long as the output is: |x| ≤ 5, |w| ≤ 3.
#pragma once

#include <cstdint>
#include <span>

namespace convlens::testing {

// x(n, c, h, w) = ((31n + 17c + 7h + 3w + h·w) mod 11) − 5
inline double XH(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<double>((31 * n + 17 * c + 7 * h + 3 * w + h * w) % 11 - 5);
}

// w(o, c, u, v) = ((13o + 5c + 3u + 2v + u·v) mod 7) − 3, c counted inside the group
inline double WH(std::int64_t o, std::int64_t c, std::int64_t u, std::int64_t v) {
  return static_cast<double>((13 * o + 5 * c + 3 * u + 2 * v + u * v) % 7 - 3);
}

// S1 = Σ y[k] and S2 = Σ y[k]·((k mod 97) + 1) over the output in NCHW order: a swapped pair changes S2.
struct CheckSums {
  double s1 = 0, s2 = 0;
  bool operator==(const CheckSums&) const = default;
};
inline CheckSums check_sums(std::span<const double> y) {
  CheckSums sums;
  for (std::size_t k = 0; k < y.size(); ++k) {
    sums.s1 += y[k];
    sums.s2 += y[k] * static_cast<double>(k % 97 + 1);
  }
  return sums;
}

}  // namespace convlens::testing
