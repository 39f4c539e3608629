#include "kernels/runtime/tensor_map.h"

#include <cuda_runtime.h>

#include <array>

#include "algorithms/error.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

constexpr std::size_t kMostAxes = 5;

// A function of the driver, which isn't linked: the program starts where there is none.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), "asking the driver");
#else
  check(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found), "asking the driver");
#endif
  if (found != cudaDriverEntryPointSuccess || function == nullptr)
    throw Unsupported(std::string(name) + ": this driver lacks it, must be one of CUDA 12 or newer");
  return reinterpret_cast<Function*>(function);
}

template <class To, class From>
std::array<To, kMostAxes> array(const std::vector<From>& values, To rest) {
  std::array<To, kMostAxes> all;
  all.fill(rest);
  for (std::size_t k = 0; k < values.size(); ++k) all.at(k) = static_cast<To>(values[k]);
  return all;
}

CUtensorMapDataType cuda(DType dtype) {
  if (dtype == DType::f16) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  if (dtype == DType::bf16) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return dtype == DType::f32 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
}

CUtensorMapSwizzle cuda_swizzle(int bytes) {
  if (bytes == 128) return CU_TENSOR_MAP_SWIZZLE_128B;
  if (bytes == 64) return CU_TENSOR_MAP_SWIZZLE_64B;
  return bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B : CU_TENSOR_MAP_SWIZZLE_NONE;
}

}  // namespace

CUtensorMap encode(const TensorMap& map, void* address) {
  static auto* const tiled = driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  static auto* const im2col = driver_function<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  const auto axes = static_cast<cuuint32_t>(map.extents.size());
  const auto extents = array<cuuint64_t>(map.extents, 1), strides = array<cuuint64_t>(map.strides, 0);
  const auto steps = array<cuuint32_t>(map.steps, 1);
  constexpr auto kPlain = CU_TENSOR_MAP_INTERLEAVE_NONE;
  constexpr auto kFetch = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  constexpr auto kZeros = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;  // what is out of bounds is read as zero

  CUtensorMap encoded{};
  CUresult result = CUDA_SUCCESS;
  if (map.im2col) {
    const auto lower = array<int>(map.im2col->lower, 0), upper = array<int>(map.im2col->upper, 0);
    result =
        im2col(&encoded, cuda(map.dtype), axes, address, extents.data(), strides.data(), lower.data(), upper.data(),
               static_cast<cuuint32_t>(map.im2col->channels), static_cast<cuuint32_t>(map.im2col->pixels), steps.data(),
               kPlain, cuda_swizzle(map.swizzle), kFetch, kZeros);
  } else {
    const auto box = array<cuuint32_t>(map.box, 1);
    result = tiled(&encoded, cuda(map.dtype), axes, address, extents.data(), strides.data(), box.data(), steps.data(),
                   kPlain, cuda_swizzle(map.swizzle), kFetch, kZeros);
  }
  if (result != CUDA_SUCCESS)
    throw Unsupported("tensor map: " + text(map) + " at " +
                      std::to_string(reinterpret_cast<std::uintptr_t>(address) % 16) +
                      " bytes behind a multiple of 16, the driver refuses it (error " +
                      std::to_string(static_cast<int>(result)) + ")");
  return encoded;
}

}  // namespace convlens::gpu
