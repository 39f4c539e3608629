// Which engine of cuDNN's graph interface is the fastest on a layer: all that are proposed are timed on the device.
#pragma once

#include <string>
#include <vector>

#include "kernels/runtime/cudnn_graph.h"

namespace convlens::gpu {

struct TimedEngine {
  EngineConfig config;
  std::shared_ptr<const CudnnCall> call;  // null when cuDNN refused the plan, or there was no memory for it
  double ms = 0;                          // a call on cold L2, without the host's time
};

struct EngineSearch {
  std::vector<TimedEngine> engines;  // those that ran, fastest first
  int proposed = 0, refused = 0;     // by the heuristics; by cuDNN when the plan was made, or for want of memory
  int short_precision = 0;           // left out: they compute in less than f32 sums of the tensors' own values
};

// The search on the current device, made once for a layer: it takes seconds. Throws Unsupported with cuDNN's sentence
// when no engine at all knows the layer.
std::shared_ptr<const EngineSearch> search_engines(const Request& request);

}  // namespace convlens::gpu
