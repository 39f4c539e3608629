// Winograd convolution: fewer multiplications, bought with additions around them and with rounding errors.
#pragma once

#include <string>

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& winograd_ref();
const Algorithm& winograd_cpu();

// Aᵀ, G and Bᵀ of the axes of `request`, as published (not scaled), in exact fractions over several lines.
// Throws Unsupported with the reason where winograd.ref does not serve the request.
std::string winograd_matrices(const Request& request);

}  // namespace convlens
