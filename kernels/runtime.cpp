#include "kernels/runtime.h"

#include "algorithms/error.h"
#include "algorithms/interface/module.h"

namespace convlens::gpu {

std::string why_no_runtime() {
  const Module& cuda = module("cuda");
  if (!cuda.found) return "built without the CUDA toolkit: " + cuda.missing;
  if (cuda.missing.empty()) return "";
  return cuda.missing + "; the CUDA toolkit's libraries must be where the loader finds them (LD_LIBRARY_PATH)";
}

Runtime& runtime() {
  if (const std::string why = why_no_runtime(); !why.empty()) throw NoDevice("device: gpu, " + why);
  return *static_cast<Runtime*>(const_cast<void*>(module("cuda").exports.services));
}

namespace {

// Whether n has no prime factor above 7, the lengths for which cuFFT has transforms of its own.
bool factors_well(std::int64_t n) {
  for (const std::int64_t prime : {2, 3, 5, 7})
    while (n > 0 && n % prime == 0) n /= prime;
  return n == 1;
}

}  // namespace

std::int64_t fft_workspace_bytes(const Fft& fft) {
  if (why_no_runtime().empty() && runtime().why_no_device().empty()) return runtime().fft_workspace_bytes(fft);
  if (factors_well(fft.rows) && factors_well(fft.columns)) return 0;
  constexpr std::int64_t kComplex = 8;  // bytes
  return fft.batch * fft.rows * (fft.columns / 2 + 1) * kComplex;
}

}  // namespace convlens::gpu
