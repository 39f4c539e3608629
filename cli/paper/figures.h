// The paper's figures and its Table II, as data: series of numbers, one a layer. The text and the HTML report draw
// them.
#pragma once

#include <string>
#include <vector>

#include "cli/paper/results.h"

namespace convlens::cli::paper {

struct Series {
  std::string name;
  std::vector<double> best, median;  // one a layer; NaN where there is no measurement. Of bytes both are the same.
};

struct Figure {
  std::string title;                 // "Fig. 2, tensor cores: TFLOPS"
  std::string unit;                  // "TFLOPS", "GB"
  std::string caption;               // what it shows
  std::vector<std::string> notes{};  // who is missing where and why, and what was not measured as it is today
  std::vector<std::string> layers;
  std::vector<Series> series;  // those that have a measurement
};

// Fig. 2 (TFLOPS and memory, on CUDA cores and on tensor cores), Fig. 3 (each of cuDNN's algorithms beside im2win),
// Fig. 4 (the ablation), and what the paper leaves out: the other rows of this program on tensor cores.
std::vector<Figure> figures(const Results& results);

// Table II, a row a layer: the fastest of cuDNN on CUDA cores and on tensor cores, and of the four im2win TC.
struct BestOfLayer {
  std::string layer, cudnn_cc, cudnn_tc, im2win_tc;  // "–" where nothing was measured
};
std::vector<BestOfLayer> table_2(const Results& results);

}  // namespace convlens::cli::paper
