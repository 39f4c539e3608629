// Covering arrays: few choices among the values of several options, in which every pair of values of two options
// occurs. A fault that takes two options to show is then met, with tens of choices instead of the product's thousands.
#pragma once

#include <cstddef>
#include <vector>

namespace convlens::testing {

// `counts` says how many values each option has. Each row of the answer chooses one of each; the first is all zeros.
// Greedy, as in Cohen, Dalal, Fredman & Patton, "The AETG system", 1997, but with nothing left to chance.
std::vector<std::vector<std::size_t>> covering_array(const std::vector<std::size_t>& counts);

}  // namespace convlens::testing
