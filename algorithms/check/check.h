// Checks one row on one request against the numerical contract (see error_model.h), with poisoned outputs and
// workspaces, and says in words what failed and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/interface/algorithm.h"

namespace convlens {

// One of the promises, kept or not.
struct Verdict {
  std::string promise;  // "exact" | "worst" | "likely" | "nonfinite"
  bool made = false;    // false: the row does not promise this, nothing was checked
  bool kept = true;
  double ratio = 0;     // the largest error / bound; for exact and nonfinite the number of wrong outputs
  Shape at{};           // the output (n, o, p, q) where it is largest
  double got = 0, expected = 0, bound = 0;  // there

  std::string line() const;  // "worst: y(0,3,1,2) = 1.25, expected 1.5 ± 3e-7 (ratio 8e5)"
};

struct CheckResult {
  std::string run;  // "im2col.ref:batching=tile"
  Request request;
  std::uint64_t seed = 1;
  bool supported = true;
  std::string reason;             // why not, when it is not
  std::vector<Verdict> verdicts;  // in the order of the contract: exact, worst, likely, nonfinite

  bool passed() const;
  std::string reproduce() const;  // "convlens check '…' --algorithm … --dtype … --layout … --seed …"
};

// Runs the row on the request: integers for (a), uniform data for (b) and (c), one NaN for the non-finite rule; each
// with outputs and workspace full of NaN first, twice in a row, and with guard bytes around both.
CheckResult check(const Algorithm& algorithm, const Request& request, std::uint64_t seed, OracleCache& cache);

}  // namespace convlens
