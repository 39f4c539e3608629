// The graph interface of cuDNN: a convolution as an operation graph, the engines that can compute it, and their plans.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/cudnn_call.h"
#include "kernels/runtime/cudnn_descriptor.h"

namespace convlens::gpu {

// An engine with its knobs, and what cuDNN notes about it.
struct EngineConfig {
  Descriptor descriptor;
  std::int64_t engine = 0;                                   // its global index
  std::vector<std::pair<std::int64_t, std::int64_t>> knobs;  // type and value
  std::vector<cudnnBackendNumericalNote_t> notes;

  bool notes_any(std::initializer_list<cudnnBackendNumericalNote_t> wanted) const;
  bool transforms() const;                  // FFT or Winograd
  bool short_precision(DType dtype) const;  // computes in less than the contract says for tensors of `dtype`
  std::string name() const;                 // "engine 27, knobs 2=5 13=1"
  std::string note_names() const;           // "TENSOR_CORE, WINOGRAD", or "none"
};

// The graph of y = x ⋆ w, or y = x ⋆ w + bias with the sum in f32. Throws Unsupported with cuDNN's sentence.
Descriptor convolution_graph(const Request& request);

// What the heuristic modes A, B and fallback propose for the graph, in this order, each configuration once; then every
// other engine that knows the graph, with the knobs that it has by default: the heuristics leave out some that win.
std::vector<EngineConfig> engines_for(const Descriptor& graph);

// The plan of one configuration, ready to execute. Throws Unsupported with cuDNN's sentence.
std::shared_ptr<const CudnnCall> engine_call(const EngineConfig& config);

}  // namespace convlens::gpu
