// The one list of algorithms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens {

// Every row there is, those of other modules included, grouped by family; the order is that of listings.
std::vector<const Algorithm*> algorithms();

// Adds the rows of a module (the GPU's, a vendor's). They must outlive the program's use of them.
void add_algorithms(std::span<const Algorithm* const> rows);

// A row by id; a bare family ("im2win") means the first row of that family.
// Throws BadInput with the closest name.
const Algorithm& find_algorithm(std::string_view name);

// A run by its name: "im2col.ref:batching=tile".
struct Run {
  const Algorithm* algorithm = nullptr;
  OptionSet options;
};
Run parse_run(std::string_view text);

}  // namespace convlens
