// One row computes one convolution on given data: timed, and compared with the direct answer in float64.
#pragma once

#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/check/verdict.h"
#include "algorithms/interface/plan.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/measure/ruler.h"

namespace convlens::cli {

struct Computed {
  Tensor y;
  Timing timing;
  std::vector<Ledger::Line> bytes;  // as allocated
};

// Runs `plan` on x and w. The output and the workspace hold NaN at first, so that what is not written shows.
Computed compute(const Plan& plan, const Tensor& x, const Tensor& w, const RulerOptions& ruler);

// The right answer for x and w, and how far a row is from it.
class CrossCheck {
 public:
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

}  // namespace convlens::cli
