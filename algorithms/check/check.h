// Checks one row on one request against the numerical contract (see error_model.h), with poisoned outputs and
// workspaces, and says in words what failed and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/check/verdict.h"
#include "algorithms/interface/algorithm.h"

namespace convlens {

struct CheckResult {
  std::string run{};  // "im2col.ref:batching=tile"
  Request request;
  std::uint64_t seed = 1;
  bool supported = true;
  std::string reason{};             // why not, when it is not
  std::vector<Verdict> verdicts{};  // in the order of the contract: exact, worst, likely, nonfinite

  bool passed() const;            // every promise that was made is kept; a row that says no has made none
  std::string reproduce() const;  // "convlens check '…' --algorithm … --dtype … --layout … --seed …"
};

// Runs the row on the request in watched memory (watched.h): y and the workspace hold NaN at first, what lies around
// the tensors must not be written, x, w and bias must not change, and nothing may be thrown.
//
//   exact      on integers
//   worst      on uniform data; equal to the bit in a second run, which finds what the first left in y and the
//              workspace, and on the CPU with another number of threads (unless the plan notes that BLAS multiplied, or
//              a vendor's library computes, which promise no such thing); and on views with gaps whose rows run
//              backwards, unless the plan wants dense ones
//   likely     on the first of these results
//   nonfinite  with a NaN in x, then with an Inf in w (nonfinite.h)
//
// Where there is too little memory for that, the row counts as one that does not support the request.
//
// Beyond 2²⁵ multiplications exact and worst run once each and nothing more, and nonfinite takes a smaller problem.
// Inputs and the oracle's answers come from `cache`.
CheckResult check(const Algorithm& algorithm, const Request& request, std::uint64_t seed, OracleCache& cache);

// Promise (a) alone, by one run on integers in watched memory.
Verdict check_exact(const std::shared_ptr<const Plan>& plan, std::uint64_t seed, OracleCache& cache);

// Promise (b) alone, by one run on uniform data in watched memory: what a benchmark asks for before it times a row.
Verdict check_worst_case(std::shared_ptr<const Plan> plan, std::uint64_t seed, OracleCache& cache);

}  // namespace convlens
