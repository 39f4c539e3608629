#include "kernels/runtime/kernel.h"

#include <array>

#include "algorithms/error.h"
#include "kernels/runtime/compiler.h"
#include "kernels/runtime/status.h"
#include "kernels/runtime/step.h"
#include "kernels/text.h"

namespace convlens::gpu {

namespace {

// What a block may have unless it is asked for (CUDA C++ Programming Guide, shared memory).
constexpr std::int64_t kSharedUnasked = 48 << 10;

int most_shared_bytes() {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for shared memory");
  return most;
}

dim3 cuda(const Dim3& d) {
  return {static_cast<unsigned>(d.x), static_cast<unsigned>(d.y), static_cast<unsigned>(d.z)};
}

// One launch of a program: the kernel, and its parameters but for the addresses of the call.
class LaunchStep final : public PreparedStep {
 public:
  LaunchStep(const Launch& launch, const Compiled& compiled)
      : launch_(launch),
        sizes_(sizes_parameter(launch.kernel)),
        kernel_(compiled, launch.kernel.entry, launch.shared_bytes) {
    if (launch.arguments.size() > kMostArguments)
      throw Unsupported(launch.kernel.entry + ": " + std::to_string(launch.arguments.size()) +
                        " arguments, must be ≤ " + std::to_string(kMostArguments));
  }

  void run(const Call& call) override {
    std::array<std::int64_t, kMostArguments> values;  // pointers and `long long`s, 8 bytes either way
    std::array<void*, kMostArguments + 1> parameters;
    const std::size_t count = launch_.arguments.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Argument& argument = launch_.arguments[k];
      values[k] = argument.kind == Argument::Kind::number
                      ? argument.number
                      : static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address(argument, call)));
      parameters[k] = &values[k];
    }
    parameters[count] = sizes_.data();
    kernel_.launch(launch_.grid, launch_.block, parameters.data(), call.stream);
  }

 private:
  static constexpr std::size_t kMostArguments = 32;

  Launch launch_;
  std::vector<std::byte> sizes_;
  LoadedKernel kernel_;
};

}  // namespace

LoadedKernel::LoadedKernel(const Compiled& compiled, const std::string& entry, std::int64_t shared_bytes)
    : entry_(entry), shared_bytes_(shared_bytes) {
  if (const int most = most_shared_bytes(); compiled.shared_bytes + shared_bytes > most)
    throw Unsupported("shared memory of " + entry + ": " + std::to_string(compiled.shared_bytes + shared_bytes) +
                      " bytes a block, must be ≤ " + std::to_string(most) + " on this GPU");
  const auto loading = [&] { return "loading the kernel " + entry_; };
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, compiled.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), loading);
  library_.reset(library);
  check(cudaLibraryGetKernel(&kernel_, library, entry.c_str()), loading);
  if (shared_bytes > kSharedUnasked)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          loading);
}

void LoadedKernel::launch(const Dim3& grid, const Dim3& block, void** parameters, cudaStream_t stream) const {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), cuda(grid), cuda(block), parameters,
                         static_cast<std::size_t>(shared_bytes_), stream),
        [&] { return "launching " + entry_; });
}

std::unique_ptr<PreparedStep> prepare(const Launch& launch, const std::string& architecture) {
  return std::make_unique<LaunchStep>(launch, compiler().compile(launch.kernel, architecture));
}

}  // namespace convlens::gpu
