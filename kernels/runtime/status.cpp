#include "kernels/runtime/status.h"

#include <array>

#include "algorithms/error.h"
#include "kernels/runtime/discovery.h"

namespace convlens::gpu {

namespace {

std::string where() {
  int index = 0;
  return cudaGetDevice(&index) == cudaSuccess ? "gpu" + std::to_string(index) + ": " : "gpu: ";
}

std::string memory_there_is() {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "";
  return ", " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
}

std::string out_of_memory(const std::string& what) { return where() + what + ": out of memory" + memory_there_is(); }

const char* advice(cudaError_t status) {
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
      return ", the kernel was compiled for another GPU: run again with --no-cache";
    case cudaErrorLaunchOutOfResources:
      return ", the block needs more registers or shared memory than a multiprocessor has: choose a smaller one";
    case cudaErrorInvalidConfiguration:
      return ", the grid or block is larger than this GPU allows";
    case cudaErrorDevicesUnavailable:
      return ", another process holds the GPU exclusively: nvidia-smi names it";
    case cudaErrorSystemNotReady:
      return ", the driver is still starting: try again";
    default:
      return "";
  }
}

}  // namespace

bool is_sticky(cudaError_t status) {
  constexpr std::array sticky{
      cudaErrorIllegalAddress,     cudaErrorLaunchTimeout,     cudaErrorHardwareStackError,
      cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
      cudaErrorInvalidPc,          cudaErrorLaunchFailure,     cudaErrorAssert,
      cudaErrorECCUncorrectable,   cudaErrorUnknown,
  };
  for (const cudaError_t one : sticky)
    if (one == status) return true;
  return false;
}

void fail(cudaError_t status, const std::string& what) {
  cudaGetLastError();  // forgets it, so that the next call does not report it once more
  if (status == cudaErrorMemoryAllocation) throw Unsupported(out_of_memory(what));
  if (const std::string none = why_no_device(status); !none.empty()) throw NoDevice("gpu: " + what + ": " + none);
  const std::string line = where() + what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (is_sticky(status))
    throw NoDevice(line + ", the GPU is lost to this process: start again; compute-sanitizer shows the kernel's line");
  throw Unsupported(line + advice(status));
}

void fail(nvrtcResult status, const std::string& what) {
  throw Unsupported("NVRTC: " + what + ": " + nvrtcGetErrorString(status));
}

void fail(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw Unsupported(out_of_memory("cuBLAS, " + what));
  throw Unsupported(where() + "cuBLAS, " + what + ": " + cublasGetStatusName(status) + ", " +
                    cublasGetStatusString(status));
}

void fail(cufftResult status, const std::string& what) {
  if (status == CUFFT_ALLOC_FAILED) throw Unsupported(out_of_memory("cuFFT, " + what));
  const auto reason = [&] {
    switch (status) {
      case CUFFT_INVALID_PLAN:
        return "the handle is no plan";
      case CUFFT_INVALID_VALUE:
        return "a value out of range";
      case CUFFT_INTERNAL_ERROR:
        return "an error inside the library or the driver";
      case CUFFT_EXEC_FAILED:
        return "the GPU could not execute the transform";
      case CUFFT_SETUP_FAILED:
        return "the library could not be set up";
      case CUFFT_INVALID_SIZE:
        return "a size that it does not transform";
      case CUFFT_NO_WORKSPACE:
        return "no work area";
      case CUFFT_NOT_SUPPORTED:
        return "not supported";
      default:
        return "it failed";
    }
  }();
  throw Unsupported(where() + "cuFFT, " + what + ": " + reason + " (status " + std::to_string(status) + ")");
}

}  // namespace convlens::gpu
