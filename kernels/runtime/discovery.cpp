#include "kernels/runtime/discovery.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "algorithms/error.h"
#include "kernels/no_device.h"
#include "kernels/runtime/device.h"

namespace convlens::gpu {

namespace {

// Why the driver's library cannot be opened, or "".
std::string loader_says() {
  if (void* const library = dlopen("libcuda.so.1", RTLD_NOW)) return dlclose(library), "";
  const char* const why = dlerror();
  return why != nullptr ? why : "dlopen fails";
}

DriverState driver_state(cudaError_t status, int count) {
  DriverState state;
  state.status = status;
  state.reason = cudaGetErrorString(status);
  state.count = count;
  cudaDriverGetVersion(&state.driver);
  if (state.driver == 0) state.loader = loader_says();
  cudaRuntimeGetVersion(&state.toolkit);
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) state.visible = visible;
  return state;
}

FoundDevices find() {
  int count = 0;  // left as it is when there is no driver
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) cudaGetLastError();
  if (std::string why = no_device_sentence(driver_state(status, count)); !why.empty()) return {{}, std::move(why)};

  // Never destroyed: at the program's end the driver may be gone before they are.
  FoundDevices found;
  for (int index = 0; index < count; ++index) found.devices.push_back(new CudaDevice(index));
  return found;
}

}  // namespace

const FoundDevices& found_devices() {
  static const FoundDevices found = find();
  return found;
}

CudaDevice& cuda_device(int index) {
  const FoundDevices& found = found_devices();
  const auto count = static_cast<int>(found.devices.size());
  if (count == 0) throw NoDevice("device: gpu" + std::to_string(index) + ", " + found.why_none);
  if (index < 0 || index >= count)
    throw NoDevice("device: gpu" + std::to_string(index) + ", must be from gpu0 to gpu" + std::to_string(count - 1));
  return static_cast<CudaDevice&>(*found.devices[static_cast<std::size_t>(index)]);
}

std::string why_no_device(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorInitializationError:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorCudartUnloading:
      return no_device_sentence(driver_state(status, 0));
    default:
      return "";
  }
}

}  // namespace convlens::gpu
