// One convolution that cuDNN has agreed to compute: what both of its interfaces have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/request.h"
#include "kernels/runtime/cudnn_library.h"

namespace convlens::gpu {

// Device memory of one call. `bias` is null when the layer has none.
struct CudnnOperands {
  const void* x = nullptr;
  const void* w = nullptr;
  const void* bias = nullptr;
  void* y = nullptr;
  void* workspace = nullptr;  // of at least workspace_bytes()
};

// Immutable; any number of threads may execute it at once, each with a handle of its own.
class CudnnCall {
 public:
  virtual ~CudnnCall() = default;

  virtual std::int64_t workspace_bytes() const = 0;
  virtual std::vector<std::string> notes() const = 0;

  // Queues y = x ⋆ w (+ bias) on the handle's stream. Neither allocates nor waits, so that it may be captured.
  virtual void execute(cudnnHandle_t handle, const CudnnOperands& operands) const = 0;
};

cudnnDataType_t cudnn_type(DType dtype);

// One algorithm of the legacy interface ("FFT_TILING"), forced. Throws Unsupported with cuDNN's sentence where it
// does not compute this layer.
std::shared_ptr<const CudnnCall> forced_algorithm(const Request& request, const std::string& algorithm);

}  // namespace convlens::gpu
