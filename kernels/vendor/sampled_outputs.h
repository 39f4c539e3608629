// A few outputs of a layer by definition, beside which a library's engine is held before it is timed:
//
//   y(n, o, p, q) = bias(o) + Σ x·w   in float64
//
// x, w and bias are functions of the place, so that the largest layers are tried too, of which the whole answer would
// take minutes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/check/verdict.h"
#include "algorithms/interface/error_model.h"

namespace convlens::gpu {

// The elements of a layer's tensors, as their type rounds them, at (n, c, h, w), (o, c, u, v) and (o, 0, 0, 0).
struct Elements {
  std::function<double(const Shape&)> x, w, bias;
};

// As Device::fill_uniform makes them, of three streams of random numbers.
Elements uniform_elements(const ConvProblem& problem, DType dtype);
inline constexpr std::uint64_t kKeyX = 1, kKeyW = 2, kKeyBias = 3;

class SampledOutputs {
 public:
  static constexpr std::int64_t kMost = 256;

  // All outputs where there are at most kMost; otherwise the corners of y and others at random.
  SampledOutputs(const ConvProblem& problem, DType dtype, const Elements& elements);

  // Whether y, read one output (n, o, p, q) at a time, keeps promise (b) of a model whose bound depends on Σ|x||w|
  // alone, as that of sums does.
  Verdict compare(const std::function<double(const Shape&)>& y, const ErrorModel& model) const;

 private:
  void add(const Shape& at, const Elements& elements);

  ConvProblem problem_;
  DType dtype_;
  std::vector<Shape> at_;
  std::vector<double> expected_, sum_abs_;  // Σ|x||w| + |bias|
};

}  // namespace convlens::gpu
