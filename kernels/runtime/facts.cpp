#include "kernels/runtime/facts.h"

#include <fstream>

#include "kernels/no_device.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

// "580.159.04", which CUDA does not tell; or the CUDA that the driver knows, where the kernel module is not to be seen.
std::string driver_version() {
  std::string version;
  if (std::ifstream file("/sys/module/nvidia/version"); file >> version) return version;
  int cuda = 0;
  check(cudaDriverGetVersion(&cuda), "asking for the driver's version");
  return "for CUDA " + cuda_version(cuda);
}

}  // namespace

DeviceFacts device_facts(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking for a device's properties");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "asking for a device's attributes");
    return value;
  };
  int toolkit = 0;
  check(cudaRuntimeGetVersion(&toolkit), "asking for CUDA's version");
  return {.name = properties.name,
          .architecture = "sm_" + std::to_string(10 * properties.major + properties.minor),
          .multiprocessors = properties.multiProcessorCount,
          .clock_mhz = attribute(cudaDevAttrClockRate) / 1000,
          .memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate) / 1000,
          .memory = static_cast<std::int64_t>(properties.totalGlobalMem),
          .l2 = properties.l2CacheSize,
          .shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .driver = driver_version(),
          .toolkit = cuda_version(toolkit)};
}

}  // namespace convlens::gpu
