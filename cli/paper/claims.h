// What is said of convolution elsewhere, each with the measurement or the count that decides it.
#pragma once

#include <string>
#include <vector>

#include "cli/paper/results.h"

namespace convlens::cli::paper {

struct Claim {
  std::string says;     // "5x to 20x speedups … compared to naive implementations"
  std::string decided;  // what was measured or counted, in numbers
  std::string verdict;  // "holds", "holds on 3 of 12 layers", "does not hold", "not measured here"
};

// The last one is counted here and now, on the CPU.
std::vector<Claim> claims(const Results& results);

// Mean |error| of F(4×4, 3×3) in f32 against float64, by where an output lies: on a layer with padding 1.
struct ErrorsByPlace {
  double inside = 0, corners = 0;   // outputs whose window is free of padding: not at a tile's corner, at one
  double padding = 0, meeting = 0;  // outputs at the image's edge: likewise
  double mean_y_inside = 0, mean_y_padding = 0;  // mean |y| of the first two, and of the last two
};
ErrorsByPlace winograd_errors();

}  // namespace convlens::cli::paper
