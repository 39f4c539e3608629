// Choices of a row's options: few that together hold every pair of option values, or all that there are.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens::testing {

// Each choice is one that the row supports for `request`; pairs that it refuses with all else at its default are left
// out. Greedy: a choice begins with a pair that none holds yet, and each further option takes the value that adds most.
std::vector<OptionSet> option_cover(const Algorithm& row, Request request);

// Every combination of values that the row supports for `request`.
std::vector<OptionSet> option_product(const Algorithm& row, Request request);

}  // namespace convlens::testing
