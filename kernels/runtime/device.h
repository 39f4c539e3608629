// A GPU, as the rest of the program sees it.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/measure/device.h"
#include "kernels/runtime/executor.h"

namespace convlens::gpu {

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index);

  const DeviceFacts& facts() const override { return facts_; }
  std::int64_t free_memory() const override;
  DeviceCeilings ceilings() override;

  std::byte* allocate(std::int64_t bytes) override;
  void release(std::byte* memory) noexcept override;
  void upload(std::byte* to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, const std::byte* from) override;
  void set(std::byte* to, std::byte value, std::int64_t bytes) override;
  void fill_uniform(const TensorView& view, std::uint64_t key) override;

  void prepare(const Plan& plan) override;
  void synchronize() override;
  std::vector<Timing> measure(const std::vector<std::function<void(Stream)>>& calls,
                              const RulerOptions& options) override;

  void make_current() const;  // CUDA's calls of this thread go to this GPU
  Executor& executor() { return executor_; }

 private:
  int index_;
  DeviceFacts facts_;
  Executor executor_;
  std::mutex mutex_;  // guards what is measured or made once
  std::optional<DeviceCeilings> ceilings_;
};

}  // namespace convlens::gpu
