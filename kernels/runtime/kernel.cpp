#include "kernels/runtime/kernel.h"

#include <array>
#include <variant>

#include "algorithms/error.h"
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

// One launch of a program: the kernel, and its parameters but for the addresses of the call.
class LaunchStep final : public PreparedStep {
 public:
  explicit LaunchStep(const Launch& launch)
      : launch_(launch),
        sizes_(sizes_parameter(launch.kernel)),
        kernel_(launch.kernel, launch.block, launch.shared_bytes) {
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
    kernel_.launch(launch_.grid, parameters.data(), call.stream);
  }

 private:
  static constexpr std::size_t kMostArguments = 32;
  using Parameter = std::variant<void*, long long, CUtensorMap>;

  Launch launch_;
  std::vector<std::byte> sizes_;
  LoadedKernel kernel_;
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
  if (const auto& [least, most, why] = kernel.architectures; !kernel.architectures.has(10 * major + minor))
    throw Unsupported(entry_ + ": compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                      ", must be " + (most == least ? "" : "≥ ") + std::to_string(least / 10) + "." +
                      std::to_string(least % 10) + (*why == '\0' ? "" : std::string(", for ") + why));
  const Compiled compiled = compiler().compile(kernel, architecture(major, minor));
  const auto refuse_above = [&](std::int64_t value, int most, const std::string& what) {
    if (value > most)
      throw Unsupported(what + " of " + entry_ + ": " + std::to_string(value) + " a block, must be ≤ " +
                        std::to_string(most) + " on this GPU");
  };
  refuse_above(compiled.shared_bytes + shared_bytes, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
               "bytes of shared memory");

  const auto loading = [&] { return "loading the kernel " + entry_; };
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, compiled.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), loading);
  library_.reset(library);
  check(cudaLibraryGetKernel(&kernel_, library, entry_.c_str()), loading);
  const void* const function = reinterpret_cast<const void*>(kernel_);
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), loading);  // loads it now, not at its first launch
  refuse_above(block.count(), attributes.maxThreadsPerBlock, "threads");
  if (compiled.shared_bytes + shared_bytes > kSharedUnasked)
    check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          loading);
}

void LoadedKernel::launch(const Dim3& grid, void** parameters, cudaStream_t stream) const {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), cuda(grid), cuda(block_), parameters,
                         static_cast<std::size_t>(shared_bytes_), stream),
        [&] { return "launching " + entry_; });
}

std::unique_ptr<PreparedStep> prepare(const Launch& launch) { return std::make_unique<LaunchStep>(launch); }

}  // namespace convlens::gpu
