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

}  // namespace convlens::gpu
