// The piece of a layer that is computed while somebody waits, and the data that it is computed on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "algorithms/check/oracle.h"
#include "algorithms/problem/conv_problem.h"
#include "viewer/logic/numerics_state.h"

namespace convlens::viewer {

// What computing and comparing a piece takes, in multiplications:
//
//   N·C_o·H_o·W_o·K + 16·(elements of x, w and y)
//
// A number that is made, rounded, scaled, bounded and drawn costs about as much as sixteen that are multiplied.
double specimen_work(const ConvProblem& problem);

// At most so much: the float64 oracle then takes a tenth of a second, and the readable rows not much more. Where one
// window alone takes more, up to the second bound it is computed, and beyond it refused: it would take minutes, and all
// the memory there is.
inline constexpr double kSpecimenWork = 1 << 23, kMostSpecimenWork = 1 << 26;

struct Specimen {
  ConvProblem problem;
  std::string sentence;      // "1 of 256 images, 4 of 64 output channels: …", what was left out and why
  std::string refused = {};  // why not even the smallest piece is computed, or ""
};

// One image; then fewer output channels, rows and columns, and fewer groups and input channels last of all: the length
// of the sums, which rounding errors grow with, is kept as long as it can be. The filter is never cut.
Specimen specimen_of(const ConvProblem& layer);

// The inputs of every row in one type, and the right answers.
//
//   x = 2^exponent · uniform in [−1, 1),  w uniform in [−1, 1),  both rounded to the type
//   struck: the same with one element x(0, 0, row, column) NaN, Inf, or 2^kOutlierExponent times as large as any other
struct Material {
  OracleCache::Entry plain;
  std::shared_ptr<const OracleCache::Entry> struck;  // null when nothing is injected
  Shape at{};                                        // of the injected element
  std::int64_t overflowed = 0, vanished = 0;         // elements of x that became Inf, or 0, in the type
  bool in_range = true;                              // x has no Inf, and is not 0 as a whole: rows can be judged
  std::string note{};  // what the type made of x at this scale, in words: "In f16 all of x is 0 …", or ""
};
inline constexpr int kOutlierExponent = 12;

Material material_of(const ConvProblem& problem, DType dtype, std::uint64_t seed, const NumericsState& settings);

// Made once for all rows; the latest few are kept. Any thread may ask.
class Materials {
 public:
  std::shared_ptr<const Material> get(const ConvProblem& problem, DType dtype, std::uint64_t seed,
                                      const NumericsState& settings);
  OracleCache& integers() { return integers_; }  // what promise (a) is checked with

  // Changes whenever a material may: the layer's piece, and the settings that numbers depend on.
  static std::string key(const ConvProblem& problem, DType dtype, std::uint64_t seed, const NumericsState& settings);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Material>> kept_;
  OracleCache integers_;
};

}  // namespace convlens::viewer
