// What engines of cuDNN are tried and timed on: tensors of a layer, and a workspace as large as any of them asks for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/runtime/cudnn_search.h"
#include "kernels/runtime/device.h"
#include "kernels/vendor/sampled_outputs.h"

namespace convlens::gpu {

class CudnnBench {
 public:
  // Throws Unsupported when there is no memory for the tensors. `request` must outlive the bench.
  CudnnBench(const Request& request, const std::vector<TimedEngine>& engines, CudaDevice& device);

  // Whether there is the memory for its workspace.
  bool fits(const TimedEngine& engine) const { return engine.call->workspace_bytes() <= workspace_->bytes(); }

  // Those of `engines` that do not compute the layer are moved out of it. With y and workspace full of NaN an engine
  // must give the sampled outputs within their bound and, of an x of zeros, the bias to the bit. Of cuDNN 9.19 on an
  // H200, engines 26, 29 and 33 add f16 biases that are half a unit in the last place too large: 2.002 for −2 + 4.
  std::vector<EngineConfig> take_out_wrong(std::vector<TimedEngine>& engines);

  // By the same ruler as every benchmark. Throws Unsupported when one of the engines refuses the call after all.
  void time(std::span<TimedEngine> engines, int samples);

 private:
  void fill_uniform();
  void run_on_poisoned(const TimedEngine& engine);
  bool keeps_bound(const TimedEngine& engine);
  bool keeps_bias(const TimedEngine& engine);
  double downloaded(const Shape& output);

  const Request& request_;
  CudaDevice& device_;
  DeviceBuffer x_, w_, y_, bias_;
  std::optional<DeviceBuffer> workspace_;
  CudnnOperands operands_;
  SampledOutputs samples_;
};

}  // namespace convlens::gpu
