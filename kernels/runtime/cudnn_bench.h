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

  // Moves those of `engines` that do not compute the layer out of it. On y and workspace full of NaN an engine must
  // give the sampled outputs of random data within their bound, and add the very bias: of cuDNN 9 on an H200 some add
  // an f16 one that is half a unit in the last place too large, so that −4 + 4 is 0.002. FFT and Winograd are held to
  // 1 % of Σ|x||w| + |bias|, and to a fifth of a bias.
  std::vector<EngineConfig> take_out_wrong(std::vector<TimedEngine>& engines);

  // By the same ruler as every benchmark. Throws Unsupported when one of the engines refuses the call after all.
  void time(std::span<TimedEngine> engines, int samples);

 private:
  void fill_uniform();
  Elements fill_cancelling();
  void run_on_poisoned(const TimedEngine& engine);
  double downloaded(const Shape& output);

  const Request& request_;
  CudaDevice& device_;
  DeviceBuffer x_, w_, y_, bias_;
  std::optional<DeviceBuffer> workspace_;
  CudnnOperands operands_;
};

}  // namespace convlens::gpu
