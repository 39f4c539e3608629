// The paper's own ratios beside those that were measured, with what the measured numbers say about the difference.
#pragma once

#include <string>
#include <vector>

#include "cli/paper/results.h"

namespace convlens::cli::paper {

struct Ratio {
  std::string of;  // "im2win TC ÷ cuDNN TC, TFLOPS"
  double paper_least = 0, paper_most = 0;
  double best = 0, median = 0;  // by the best samples, by the medians; NaN where nothing was measured
  double least = 0, most = 0;   // of a layer, by the best samples
  std::string least_layer{}, most_layer{};
  std::string verdict{};  // "agrees: …", "does not agree: …", with why, in words made from the numbers
};

// All means over the layers are geometric, as befits ratios.
std::vector<Ratio> ratios(const Results& results);

}  // namespace convlens::cli::paper
