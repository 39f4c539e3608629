// The oracle: what the right answer is, in float64.
//
//   y = bias + Σ x·w   and   s = |bias| + Σ |x|·|w|   (the scale that error bounds are made of)
//
// by the direct sum over the already rounded inputs. For f64 tensors the sum is compensated (Ogita, Rump & Oishi,
// "Accurate sum and dot product", 2005: as if in twice the precision), so that f64 rows have something to be checked
// against.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms/interface/error_model.h"
#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/tensor.h"

namespace convlens {

// The tensors of a check: NCHW, OIHW and C_o×1×1×1, already rounded to `dtype`.
struct Inputs {
  Tensor x, w, bias;  // bias is empty when the problem has none
};

// What the inputs are filled with.
struct Data {
  enum class Kind : std::uint8_t { uniform, integers };
  Kind kind = Kind::uniform;  // uniform: x and w in [−1, 1); integers: as `exact` says
  ExactInputs exact{};
  std::uint64_t seed = 1;
};

// The inputs of a check. Integers: w is never zero, so that no lost tap goes unseen. Where the row does not transform,
// the ranges shrink until Σ|x||w| < 2²⁴. Where it does (x_max ≤ 2, w_unit ≠ 1, or not bitwise), x is zero in all but
// about 64 channels of each pixel, other ones for other pixels, so that its larger intermediates stay exact too.
// Throws Unsupported for integers when a reduction is so long that not even {−1, 0, 1} is exact.
Inputs make_inputs(const ConvProblem& problem, DType dtype, const Data& data);

struct Answer {
  std::vector<double> y;        // NCHW
  std::vector<double> sum_abs;  // NCHW
};

// Padding is multiplied as real zeros, so NaN and Inf come out as IEEE arithmetic has them.
Answer oracle(const ConvProblem& problem, const Inputs& inputs);

// Inputs and answers, computed once a (problem, type, data) and shared by all rows and layouts that are checked on
// them. Keeps the most recent 32, or 1 GiB of them; safe to use from several threads.
class OracleCache {
 public:
  struct Entry {
    Inputs inputs;
    Answer answer;
  };
  std::shared_ptr<const Entry> get(const ConvProblem& problem, DType dtype, const Data& data);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Entry>> entries_;
  std::deque<std::string> order_;  // of the entries' keys, oldest first
  std::int64_t bytes_ = 0;
};

}  // namespace convlens
