// The rule for NaN and Inf: never lost, and never further than the row's Spread allows.
//
//   exact   NaN, +Inf and −Inf exactly where the oracle has them
//   tile    every output that the oracle has as NaN or Inf is one or the other; so may be the outputs that share an
//           output tile with one of those, or, when no output at all depends on the element, those of its image
//   image   the same, for the whole image (and group) that a NaN of x is in, or the channel of a weight
//
// All other outputs are within their worst-case bound. A vendor's row makes no such promise (Algorithm::vendor).
#pragma once

#include "algorithms/check/oracle.h"
#include "algorithms/check/verdict.h"
#include "algorithms/interface/algorithm.h"

namespace convlens {

// The problem itself, or, beyond 2²² multiplications, one with the same filter, stride, dilation and padding but fewer
// images, groups, channels, rows and columns.
ConvProblem cropped(const ConvProblem& problem);

// Three runs on uniform data: a NaN in a random element of x that outputs depend on, a NaN in one that none does (where
// strides leave such elements), and an Inf of random sign in a random weight. The request is taken on a cropped
// problem, if the row supports that.
Verdict check_nonfinite(const Algorithm& algorithm, const Request& request, std::uint64_t seed, OracleCache& cache);

}  // namespace convlens
