// A compiled kernel, loaded on the current GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/program.h"

namespace convlens::gpu {

class LoadedKernel {
 public:
  // Compiled, unless it has been, for launches with such blocks, each with `shared_bytes` of dynamic shared memory.
  // Throws Unsupported, with the most there can be, when a block has too many threads for its registers or too much
  // shared memory, or when NVRTC does not know the GPU.
  explicit LoadedKernel(const Kernel& kernel, const Dim3& block, std::int64_t shared_bytes = 0);

  // `parameters` points to each parameter's value, in order.
  void launch(const Dim3& grid, void** parameters, cudaStream_t stream) const;

  // Makes the kernel's `extern "C" __device__` variable of this name point there.
  void point(const std::string& variable, const void* at) const;

 private:
  struct Unload {
    void operator()(cudaLibrary_t library) const { cudaLibraryUnload(library); }
  };
  std::string entry_;
  Dim3 block_;
  std::int64_t shared_bytes_;
  std::unique_ptr<std::remove_pointer_t<cudaLibrary_t>, Unload> library_;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace convlens::gpu
