// Random requests, for checks that go on for as long as they are let.
#pragma once

#include <cstdint>

#include "algorithms/interface/algorithm.h"

namespace convlens {

// Problem number `index` of stream `seed`: small (at most 2^22 multiplications), legal, and odd: ragged sizes,
// asymmetric padding, strides beyond the filter, dilations, groups, depthwise, 1×N filters, empty batches, bias.
ConvProblem random_problem(std::uint64_t seed, std::uint64_t index);

// A random element type, layouts, option set of `algorithm` and number of threads for `problem`; for rows on a GPU the
// same for several problems in a row, and mostly with sizes at run time, so that few kernels are compiled. Where the
// row refuses that, every other time the nearest request that it says it would take; the others show that it refuses in
// words.
Request random_request(const Algorithm& algorithm, const ConvProblem& problem, std::uint64_t seed, std::uint64_t index);

}  // namespace convlens
