#include "kernels/common/tensor_core_sums.h"

namespace convlens::gpu {

namespace {
constexpr double kTensorCores = 4;
}

ErrorModel tensor_core_sums(const ConvProblem& problem, DType dtype) {
  ErrorModel model = plain_sum_model(problem, dtype);
  if (dtype == DType::f32) return model;
  model.worst_case = [plain = model.worst_case](const BoundInputs& inputs, std::span<double> bound) {
    plain(inputs, bound);
    for (double& value : bound) value *= kTensorCores;
  };
  return model;
}

}  // namespace convlens::gpu
