#include "kernels/runtime.h"

#include "algorithms/error.h"
#include "algorithms/interface/module.h"

namespace convlens::gpu {

std::string why_no_runtime() {
  const Module& cuda = module("cuda");
  if (!cuda.found) return "built without the CUDA toolkit";
  return cuda.missing;
}

Runtime& runtime() {
  if (const std::string why = why_no_runtime(); !why.empty()) throw NoDevice("device: gpu, " + why);
  return *static_cast<Runtime*>(const_cast<void*>(module("cuda").exports.services));
}

std::int64_t fft_workspace_bytes(const Fft& fft) {
  if (why_no_runtime().empty() && runtime().why_no_device().empty()) return runtime().fft_workspace_bytes(fft);
  constexpr std::int64_t kComplex = 8;  // bytes
  return fft.batch * fft.rows * (fft.columns / 2 + 1) * kComplex;
}

}  // namespace convlens::gpu
