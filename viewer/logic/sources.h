// What x, w and the bias are filled with: a picture and well-known filters, an array, or random numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/dtype.h"
#include "algorithms/tensor/view.h"

namespace convlens::viewer {

using Element = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;

// The values of x and w. With a picture, x is that picture, its colours repeated over the channels; w holds well-known
// filters, a different one for each output channel. Otherwise both are uniform in [−1, 1).
struct Sources {
  Element x, w;
  std::function<double(std::int64_t)> bias;
  bool picture = false;  // x is to be seen as one: a photograph, or numbers from 0 to 1
};
struct Numbers {               // an array of one's own, every element of x as it is
  Shape shape{};               // N, C_i, H_i, W_i
  std::vector<double> values;  // in this order
};
struct Photograph {  // grey or RGB, 0 to 1
  std::int64_t height = 0, width = 0;
  int channels = 0;
  std::vector<float> samples;                        // (row·width + column)·channels + channel
  std::shared_ptr<const Numbers> numbers = nullptr;  // in the place of all this
};
// Throws BadInput where numbers have another shape than the layer's input.
Sources picture_sources(const ConvProblem& problem, const Photograph& photograph);
Sources random_sources(const ConvProblem& problem, std::uint64_t seed);

// The same as tensors of that type hold them, every number rounded once.
Sources stored_sources(Sources sources, DType dtype);

}  // namespace convlens::viewer
