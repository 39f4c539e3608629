// A cell in words: its index, value, place in memory, and the formula with its numbers.
#pragma once

#include <string>

#include "viewer/logic/values.h"

namespace convlens::viewer {

struct CellWords {
  std::string name;     // "im2win tensor Î (n 0, c 12, m 17, k 5, u 1)"
  std::string value;    // "−0.418", of spectra "0.31 ∠ 1.2"
  std::string address;  // "offset 109829 · byte 0x6b414", or why it has none
  std::string formula;  // "= x(0, 12, 18, 5)", "= 1·x(…) − 1·x(…)", "a zero of the layer's padding"
};

CellWords cell_words(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell);

// Four significant digits; NaN and Inf by name.
std::string number_text(double value);

// "2.21 MiB".
std::string bytes_text(std::int64_t bytes);

// "574 164".
std::string grouped(std::int64_t value);

}  // namespace convlens::viewer
