#include "kernels/runtime/kernel.h"

#include <array>
#include <variant>

#include "algorithms/error.h"
#include "kernels/architecture.h"
#include "kernels/runtime/compiler.h"
#include "kernels/runtime/nvrtc.h"
#include "kernels/runtime/status.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/tensor_map.h"
#include "kernels/text.h"

namespace convlens::gpu {

namespace {

// What a block may have unless it is asked for (CUDA C++ Programming Guide, shared memory).
constexpr std::int64_t kSharedUnasked = 48 << 10;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  return device;
}

dim3 cuda(const Dim3& d) {
  return {static_cast<unsigned>(d.x), static_cast<unsigned>(d.y), static_cast<unsigned>(d.z)};
}

// Where the blocks of a traced kernel leave their notes.
class SpanBuffer {
 public:
  explicit SpanBuffer(std::int64_t blocks) : count_(static_cast<std::size_t>(blocks)) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes()), [&] { return "allocating " + std::to_string(bytes()) + " bytes for a trace"; });
    memory_.reset(memory);
  }
  const void* data() const { return memory_.get(); }
  void clear(cudaStream_t stream) const {
    check(cudaMemsetAsync(memory_.get(), 0, bytes(), stream), "clearing a trace");
  }
  std::vector<BlockSpan> read() const {
    std::vector<BlockSpan> spans(count_);
    check(cudaMemcpy(spans.data(), memory_.get(), bytes(), cudaMemcpyDeviceToHost), "reading a trace");
    return spans;
  }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::size_t bytes() const { return count_ * sizeof(BlockSpan); }

  std::size_t count_;
  std::unique_ptr<void, Free> memory_;
};

// One launch of a program: the kernel, and its parameters but for the addresses of the call.
class LaunchStep final : public PreparedStep {
 public:
  explicit LaunchStep(const Launch& launch)
      : launch_(launch),
        sizes_(sizes_parameter(launch.kernel)),
        kernel_(launch.kernel, launch.block, launch.shared_bytes),
        spans_(launch.kernel.traced ? std::make_unique<SpanBuffer>(launch.grid.count()) : nullptr) {
    if (spans_) kernel_.point("block_spans", spans_->data());
    if (launch.arguments.size() > kMostArguments)
      throw Unsupported(launch.kernel.entry + ": " + std::to_string(launch.arguments.size()) +
                        " arguments, must be ≤ " + std::to_string(kMostArguments));
  }

  void run(const Call& call) override {
    std::array<Parameter, kMostArguments> values;
    std::array<void*, kMostArguments + 1> parameters;
    const std::size_t count = launch_.arguments.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Argument& argument = launch_.arguments[k];
      if (argument.map)
        values[k] = encode(*argument.map, address(argument, call));
      else if (argument.kind == Argument::Kind::number)
        values[k] = static_cast<long long>(argument.number);
      else
        values[k] = static_cast<void*>(address(argument, call));
      parameters[k] = std::visit([](auto& value) -> void* { return &value; }, values[k]);
    }
    parameters[count] = sizes_.data();
    if (spans_) spans_->clear(call.stream);
    kernel_.launch(launch_.grid, parameters.data(), call.stream);
  }

  std::vector<BlockSpan> spans() const override { return spans_ ? spans_->read() : std::vector<BlockSpan>(); }

 private:
  static constexpr std::size_t kMostArguments = 32;
  using Parameter = std::variant<void*, long long, CUtensorMap>;

  Launch launch_;
  std::vector<std::byte> sizes_;
  LoadedKernel kernel_;
  std::unique_ptr<SpanBuffer> spans_;  // where the kernel is traced
};

}  // namespace

LoadedKernel::LoadedKernel(const Kernel& kernel, const Dim3& block, std::int64_t shared_bytes)
    : entry_(kernel.entry), block_(block), shared_bytes_(shared_bytes) {
  const auto attribute = [device = current_device()](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "asking for a device's attributes");
    return value;
  };
  const int major = attribute(cudaDevAttrComputeCapabilityMajor), minor = attribute(cudaDevAttrComputeCapabilityMinor);
  const std::string architecture_here = architecture(major, minor);
  check_architecture(kernel, architecture_here);
  const Compiled compiled = compiler().compile(kernel, architecture_here);
  check_shared_bytes(entry_, compiled.shared_bytes + shared_bytes, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                     architecture_here);

  const auto loading = [&] { return "loading the kernel " + entry_; };
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, compiled.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), loading);
  library_.reset(library);
  check(cudaLibraryGetKernel(&kernel_, library, entry_.c_str()), loading);
  const void* const function = reinterpret_cast<const void*>(kernel_);
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), loading);  // loads it now, not at its first launch
  if (block.count() > attributes.maxThreadsPerBlock)
    throw Unsupported(entry_ + ": " + std::to_string(block.count()) + " threads a block, must be ≤ " +
                      std::to_string(attributes.maxThreadsPerBlock) + " for its registers on " + architecture_here);
  if (compiled.shared_bytes + shared_bytes > kSharedUnasked)
    check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          loading);
}

void LoadedKernel::launch(const Dim3& grid, void** parameters, cudaStream_t stream) const {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), cuda(grid), cuda(block_), parameters,
                         static_cast<std::size_t>(shared_bytes_), stream),
        [&] { return "launching " + entry_; });
}

void LoadedKernel::point(const std::string& variable, const void* at) const {
  void* address = nullptr;
  std::size_t bytes = 0;
  const auto pointing = [&] { return "looking for " + variable + " of " + entry_; };
  check(cudaLibraryGetGlobal(&address, &bytes, library_.get(), variable.c_str()), pointing);
  check(cudaMemcpy(address, &at, sizeof at, cudaMemcpyHostToDevice), pointing);
}

std::unique_ptr<PreparedStep> prepare(const Launch& launch) { return std::make_unique<LaunchStep>(launch); }

}  // namespace convlens::gpu
