// What Winograd's options are, and which layers it serves: the same for every implementation.
#pragma once

#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens {

std::vector<Option> tile_options(const std::string& m);  // m, with this default, and points
std::vector<Option> winograd_options();                  // these, and stored: for rows that compute in short types

// In an order in which each may rely on those before it.
std::vector<Rule> winograd_rules();

}  // namespace convlens
