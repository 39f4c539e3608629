// A cell in words: its index, value, place in memory, and the formula with its numbers.
#pragma once

#include <string>

#include "viewer/logic/coefficients.h"
#include "viewer/logic/sums.h"

namespace convlens::viewer {

struct CellWords {
  std::string name;     // "im2win tensor Î"
  std::string index;    // "(n 0, c 12, m 17, k 5, u 1)"
  std::string value;    // "-0.418", of spectra "0.31 at angle 1.2", "3e-16, rounding alone"
  std::string address;  // "offset 109829  byte 0x6b414", or why it has none
  Sum sum;              // with its numbers, where the cell is a sum
  std::string meaning;  // "= x(0, 12, 18, 5)", "a zero of the layer's padding", "Σ x·w over 64 channels and 9 taps"
  Combination combination = {};  // of cells of M that make y, or of y that are made of one
};

CellWords cell_words(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell);

// Four significant digits, or as many as asked for; NaN and Inf by name.
std::string number_text(double value, int digits = 4);

// In at most so many letters, from 4 on, where that is possible: "-0.0156", "-.016", "2e-5".
std::string short_number(double value, int letters);

// "2.21 MiB".
std::string bytes_text(std::int64_t bytes);

// "574 164".
std::string grouped(std::int64_t value);

// "1 channel", "64 channels"; `many` where an s does not do it.
std::string counted(std::int64_t count, const std::string& one, const std::string& many = "");

}  // namespace convlens::viewer
