// Given data instead of random data: the right answer for them, and how far a row is from it.
#pragma once

#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/check/verdict.h"
#include "algorithms/interface/plan.h"

namespace convlens {

class CrossCheck {
 public:
  // x and w of any layout and element type; the answer is the oracle's, in float64.
  CrossCheck(const ConvProblem& problem, const Tensor& x, const Tensor& w);

  // What a check holds in float64, beside the tensors of the request.
  static std::int64_t bytes(const ConvProblem& problem);

  // Promise (b) of the row's error model; the ratio is the largest error ÷ bound, at most 1 for a row that is right.
  // NaN and Inf must be where the right answer has them; a row that transforms may lose other outputs of that image.
  Verdict judge(const Plan& plan, const Tensor& y) const;

 private:
  OracleCache::Entry given_;   // the data as they are
  OracleCache::Entry finite_;  // with 0 for NaN and Inf, where there are any: what error bounds are made of
  std::vector<bool> poisoned_images_;
};

}  // namespace convlens
