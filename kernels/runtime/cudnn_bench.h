// A bench on which calls of cuDNN are tried and timed: tensors of the layer with random data, and a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/runtime/cudnn_call.h"

namespace convlens::gpu {

class CudnnBench {
 public:
  // Throws Unsupported when the device has too little memory for the tensors.
  explicit CudnnBench(const Request& request);

  // The median time of a call in ms, on a cold L2 cache. Nothing when cuDNN refuses it, or its workspace does not fit.
  // A call that is clearly slower than `best` is timed once only.
  std::optional<double> time(const CudnnCall& call, std::optional<double> best);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { cudaFree(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  struct Destroy {
    void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
    void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
    void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
  };
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

  static Memory allocate(std::int64_t bytes);  // null where there is not so much
  Memory random_tensor(DType dtype, std::int64_t bytes) const;
  void queue(const CudnnCall& call) const;
  Owned<cudaGraphExec_t> captured(const CudnnCall& call) const;
  template <class Queue>
  double sample(Queue&& queue) const;

  Owned<cudaStream_t> stream_;
  Owned<cudaEvent_t> begin_, end_;
  Memory flushed_, x_, w_, bias_, y_, workspace_;
  std::int64_t flushed_bytes_ = 0, workspace_bytes_ = 0;
};

}  // namespace convlens::gpu
