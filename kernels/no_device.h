// Why CUDA finds no GPU, as one line that also says what to do.
#pragma once

#include <optional>
#include <string>

namespace convlens::gpu {

// What cudaGetDeviceCount, cudaDriverGetVersion and cudaRuntimeGetVersion say. Versions are 1000·major + 10·minor.
struct DriverState {
  int status = 0;                      // cudaGetDeviceCount's; the count is meaningless unless it is 0
  std::string reason;                  // CUDA's own sentence for it
  int count = 0;                       // devices
  int driver = 0;                      // the newest CUDA that the driver knows; 0: no driver
  std::string loader;                  // why libcuda.so.1 cannot be opened, in dlopen's words; "" where it can
  int toolkit = 0;                     // the CUDA that this program uses
  std::optional<std::string> visible;  // CUDA_VISIBLE_DEVICES, when it is set
};

// "" when there is a device.
std::string no_device_sentence(const DriverState& state);

std::string cuda_version(int version);  // 13000 → "13.0"

}  // namespace convlens::gpu
