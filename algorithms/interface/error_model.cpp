#include "algorithms/interface/error_model.h"

namespace convlens {

double gamma(double n, double unit_roundoff) { return n * unit_roundoff / (1 - n * unit_roundoff); }

ErrorModel plain_sum_model(const ConvProblem& problem, DType dtype) {
  ErrorModel model;
  const double terms = static_cast<double>(problem.reduction()) + (problem.bias() ? 1 : 0);
  const double factor = gamma(terms, unit_roundoff(accumulator_of(dtype)));
  model.worst_case = [factor](const BoundInputs& inputs, std::span<double> bound) {
    for (std::size_t k = 0; k < bound.size(); ++k) bound[k] = factor * inputs.sum_abs[k];
  };
  model.likely = dtype == DType::f32;
  return model;
}

}  // namespace convlens
