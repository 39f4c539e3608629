// Running a plan on given data, wherever it runs: timed by the ruler, its memory from the ledger.
#pragma once

#include <vector>

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

}  // namespace convlens::cli
