// The oracle: what the right answer is, in float64.
//
//   y = bias + Σ x·w   and   s = |bias| + Σ |x|·|w|   (the scale that error bounds are made of)
//
// by the direct sum over the already rounded inputs. For f64 tensors the sum is compensated (Ogita, Rump & Oishi,
// "Accurate sum and dot product", 2005: as if in twice the precision), so that f64 rows have something to be checked
// against.
#pragma once

#include <cstdint>
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
Inputs make_inputs(const ConvProblem& problem, DType dtype, const Data& data);

struct Answer {
  std::vector<double> y;        // NCHW
  std::vector<double> sum_abs;  // NCHW
};
Answer oracle(const ConvProblem& problem, const Inputs& inputs);

// Inputs and answers, computed once a (problem, type, data) and shared by all rows and layouts that are checked on
// them. Keeps the most recent few; safe to use from several threads.
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
  std::vector<std::string> order_;
};

}  // namespace convlens
