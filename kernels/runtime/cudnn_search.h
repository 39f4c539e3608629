// Which engine of cuDNN's graph interface is the fastest on a layer: all that there are are tried and timed on the
// device.
#pragma once

#include <memory>
#include <vector>

#include "kernels/runtime/cudnn_graph.h"

namespace convlens::gpu {

struct TimedEngine {
  EngineConfig config;
  std::shared_ptr<const CudnnCall> call;
  double ms = 0;  // the median of calls on a cold L2 cache, without the host's time
};

struct EngineSearch {
  std::vector<TimedEngine> engines;  // those that ran, fastest first
  int known = 0;                     // configurations that cuDNN offers for the layer
  int short_precision = 0;           // of them, left out: they round f32 to less, or what they read
  std::vector<EngineConfig> wrong;   // and left out: they do not compute the layer (cudnn_bench.h)
  int refused() const { return known - short_precision - static_cast<int>(wrong.size() + engines.size()); }
};

// The search on the device that `request` names, made once for a layer: it takes seconds. Throws Unsupported with
// cuDNN's sentence when no engine at all knows the layer, or when there is no memory for its tensors.
std::shared_ptr<const EngineSearch> search_engines(const Request& request);

}  // namespace convlens::gpu
