// Makes a failing request as small as it can be while it still fails.
#pragma once

#include <functional>

#include "algorithms/interface/request.h"

namespace convlens {

// Greedy: tries simpler values for every field (drop groups and bias, halve and decrement sizes, stride, dilation and
// padding towards 1, 1 and 0) and keeps what still fails, until nothing simpler does. `fails` must be deterministic.
Request shrink(const Request& failing, const std::function<bool(const Request&)>& fails);

}  // namespace convlens
