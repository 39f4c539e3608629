// Every status that CUDA, NVRTC, cuBLAS or cuFFT returns passes through `check`.
//
// A failure becomes one line: on which GPU, what was being done, what went wrong and what to do about it. Too little
// memory and what a GPU cannot do are Unsupported, and the next job works; a GPU that is not there is NoDevice, and so
// is one that a faulty kernel has made unusable for the rest of this process (CUDA calls such errors sticky).
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <nvrtc.h>

#include <string>
#include <type_traits>

namespace convlens::gpu {

[[noreturn]] void fail(cudaError_t status, const std::string& what);
[[noreturn]] void fail(nvrtcResult status, const std::string& what);
[[noreturn]] void fail(cublasStatus_t status, const std::string& what);
[[noreturn]] void fail(cufftResult status, const std::string& what);

// `what` says what was being done, "copying 4096 bytes to the device": a text, or a function that makes one when it is
// needed. Success is 0 in all four libraries.
template <class Status, class What>
void check(Status status, const What& what) {
  if (status == Status{}) return;
  if constexpr (std::is_invocable_v<What>)
    fail(status, what());
  else
    fail(status, what);
}

// True of the errors after which nothing works in this process any more.
bool is_sticky(cudaError_t status);

}  // namespace convlens::gpu
