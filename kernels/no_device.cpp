#include "kernels/no_device.h"

namespace convlens::gpu {

namespace {
// The numbers that the CUDA runtime has given these errors since CUDA 10.
constexpr int kInsufficientDriver = 35, kNoDevice = 100;

std::string why_no_driver(const std::string& loader) {
  if (loader.empty()) return "libcuda.so.1 is on this system and does not answer: see nvidia-smi";
  // As glibc says it of the library itself; of one that it needs, another name stands first.
  if (loader == "libcuda.so.1: cannot open shared object file: No such file or directory")
    return "libcuda.so.1 is not on this system";
  return "libcuda.so.1 cannot be loaded (" + loader + ")";
}
}  // namespace

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string no_device_sentence(const DriverState& state) {
  if (state.status == 0 && state.count > 0) return "";
  if (state.driver == 0) return "no NVIDIA driver: " + why_no_driver(state.loader);
  if (state.status == kInsufficientDriver)
    return "the NVIDIA driver knows CUDA " + cuda_version(state.driver) + ", older than the toolkit's " +
           cuda_version(state.toolkit) + ": update the driver, or build with an older toolkit";
  if (state.status != 0 && state.status != kNoDevice)
    return state.reason + " (CUDA error " + std::to_string(state.status) + "): see nvidia-smi";
  if (state.visible) return "no NVIDIA GPU to be seen: CUDA_VISIBLE_DEVICES is \"" + *state.visible + "\"";
  return "no NVIDIA GPU: the driver is there and finds none";
}

}  // namespace convlens::gpu
