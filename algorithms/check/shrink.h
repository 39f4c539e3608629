// Makes a failing request as small as it can be while it still fails.
#pragma once

#include <functional>

#include "algorithms/interface/request.h"

namespace convlens {

// Greedy: tries simpler values for every field (drop bias and options, one group, halve and decrement sizes, stride,
// dilation and padding towards 1, 1 and 0; the same along both axes at once; the default layouts) and keeps what still
// fails, until nothing simpler does. Only legal problems are tried. `fails` must be deterministic, and true of
// `failing`.
Request shrink(const Request& failing, const std::function<bool(const Request&)>& fails);

}  // namespace convlens
