// A compiled kernel, loaded on the current GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/program.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

class LoadedKernel {
 public:
  // For launches with `shared_bytes` of dynamic shared memory. Throws Unsupported when a block cannot have as much.
  LoadedKernel(const Compiled& compiled, const std::string& entry, std::int64_t shared_bytes);

  // `parameters` points to each parameter's value, in order.
  void launch(const Dim3& grid, const Dim3& block, void** parameters, cudaStream_t stream) const;

 private:
  struct Unload {
    void operator()(cudaLibrary_t library) const { cudaLibraryUnload(library); }
  };
  std::string entry_;
  std::int64_t shared_bytes_;
  std::unique_ptr<std::remove_pointer_t<cudaLibrary_t>, Unload> library_;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace convlens::gpu
