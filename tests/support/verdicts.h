// How tests of the checker ask what it found.
#pragma once

#include <stdexcept>
#include <string>

#include "algorithms/check/check.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"

namespace convlens::testing {

inline const ConvProblem kSmall({.n = 2,
                                 .ci = 6,
                                 .hi = 9,
                                 .wi = 7,
                                 .co = 4,
                                 .hf = 3,
                                 .wf = 2,
                                 .stride_h = 2,
                                 .pad_top = 1,
                                 .pad_left = 1,
                                 .bias = true});

inline CheckResult checked(const Algorithm& row, const Request& request, std::uint64_t seed = 1) {
  OracleCache cache;
  const CheckResult result = check(row, request, seed, cache);
  REQUIRE(result.supported);
  return result;
}

inline const Verdict& verdict(const CheckResult& result, const std::string& promise) {
  for (const Verdict& v : result.verdicts)
    if (v.promise == promise) return v;
  throw std::logic_error("no verdict " + promise);
}

// Whether `row` breaks `promise`, with every one of a few seeds.
inline bool breaks(const Algorithm& row, const Request& request, const std::string& promise) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const CheckResult result = checked(row, request, seed);
    if (verdict(result, promise).kept) {
      UNSCOPED_INFO(result.reproduce() << ": " << verdict(result, promise).line());
      return false;
    }
    CHECK_FALSE(result.passed());
  }
  return true;
}

// Whether `row` is found to do what `fault` says, with every element type.
inline bool faulty(const Algorithm& row, const std::string& fault) {
  for (DType dtype : kDTypes) {
    const CheckResult result = checked(row, {kSmall, dtype});
    const std::string& found = verdict(result, "worst").fault;
    if (found.find(fault) == std::string::npos || result.passed()) {
      UNSCOPED_INFO(result.reproduce() << ": " << verdict(result, "worst").line());
      return false;
    }
  }
  return true;
}

}  // namespace convlens::testing
