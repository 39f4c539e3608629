// What rounding does: one row in one type, run on a piece of the layer and compared with the oracle, the direct sum in
// float64 of the same rounded inputs.
//
// Errors of all rows and types are compared in one unit, u·Σ|x||w| of the output, u the unit roundoff of the type:
// what one rounding of a sum of that size may cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/check/verdict.h"
#include "algorithms/interface/algorithm.h"
#include "viewer/logic/specimen.h"

namespace convlens::viewer {

// How many times as far off as any output of the undisturbed run an output is to be called spoilt by an outlier: less
// than that another rounding of the same sum could have done.
inline constexpr double kSpoilt = 2;

// How far an injected element reaches: the outputs that are no longer right, by what they have to do with it. Spoilt by
// a NaN or an Inf is an output beyond the worst-case bound of the clean data, or no number; by an outlier, one that is
// off by more than kSpoilt times the largest error of the undisturbed run.
struct Reach {
  std::int64_t readers = 0;  // outputs whose window holds the element: they depend on it
  std::int64_t beyond = 0;   // that it spoilt though they do not read it
  Spread seen = Spread::exact;
  bool left_image = false;  // some of these are in another image or group
  double clean = 0;         // the largest error of the undisturbed run, in u·Σ|x||w|
  double largest = 0;       // of those that do not read it: Inf where one is no number
};

struct Numerics {
  std::string run;
  ConvSpec spec{};  // of the piece of the layer
  DType dtype = DType::f32;
  std::string refused{};  // why there are no numbers, or ""
  std::shared_ptr<const Material> material{};
  std::vector<Verdict> verdicts{};  // exact, worst, likely; none is made where x is out of the type's range

  // Of every output, in NCHW order.
  std::vector<double> y{};      // as the row computed it, what was injected included
  std::vector<double> right{};  // as the oracle has it
  std::vector<double> error{};  // |y − right| ÷ (u·Σ|x||w|); Inf where only one is a number in the type, NaN where none
  double bound = 0;             // the largest worst-case bound, in the same unit
  std::size_t worst = 0;        // the output with the largest error; of those without one only where all are
  std::string not_finite{};  // "NaN" where some output is or should be, else "Inf" where some is, else ""

  Spread declared = Spread::exact;
  std::int64_t tile_h = 0, tile_w = 0;  // outputs of a tile; 0: the row has none
  std::optional<Reach> reach{};         // of what was injected

  bool computed() const { return !y.empty(); }
};

// Never throws for a legal problem: what stands against it is in `refused`.
Numerics numerics_of(const std::string& run, const ConvProblem& problem, DType dtype, const Layouts& layouts,
                     std::uint64_t seed, const NumericsState& settings, Materials& materials);

Shape output_at(std::size_t number, const Shape& y);  // the coordinate of an output in NCHW order
std::size_t output_number(const Shape& at, const Shape& y);

// A product that an output is the sum of.
struct SumTerm {
  std::int64_t c = 0, u = 0, v = 0;  // of the filter
  std::int64_t h = 0, w = 0;         // of the input
  bool padding = false;
  double x = 0, weight = 0;
  double product() const { return x * weight; }
};

struct ElementTerms {
  std::vector<SumTerm> terms;  // the largest first, NaN and Inf before all
  double positive = 0, negative = 0, bias = 0;
  double cancellation = 0;  // Σ|x||w| ÷ |y|: by how much the sum's relative error exceeds that of its terms
};
ElementTerms terms_of(const ConvProblem& problem, const Inputs& inputs, const Shape& at);

// How many outputs have an error of each size, four bins a factor of ten.
struct Histogram {
  static constexpr int kPerDecade = 4, kLeast = -5, kMost = 5;  // powers of ten of u·Σ|x||w|
  std::vector<std::int64_t> bins;       // of (kMost − kLeast)·kPerDecade; the ends hold the rest
  std::int64_t zero = 0, infinite = 0;  // no error at all; outputs that are no number, whether rightly or not
  std::int64_t most = 0;                // of one bin
};
Histogram histogram_of(const Numerics& numerics);

}  // namespace convlens::viewer
