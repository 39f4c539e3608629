// What Winograd's options are, and which layers it serves: the same for every implementation.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens {

std::vector<Option> winograd_options();

// In an order in which each may rely on those before it.
std::vector<Rule> winograd_rules();

}  // namespace convlens
