// The bounds of the numerical contract, for every output in NCHW order.
#pragma once

#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/interface/plan.h"

namespace convlens {

// Promise (b): the plan's own bound + u_out·|y| + half the smallest subnormal.
std::vector<double> worst_case_bounds(const Plan& plan, const OracleCache::Entry& entry);

// Promise (c): 2·√K·u·Σ|x||w| + u_out·|y| + half the smallest subnormal, u that of the accumulator.
std::vector<double> likely_bounds(const Plan& plan, const OracleCache::Entry& entry);

// What rounding y to `dtype` may change: u_out·|y| + half the smallest subnormal.
double output_rounding(DType dtype, double y);

}  // namespace convlens
