// Which GPUs there are, or why there is none. CUDA is first touched here, when someone asks.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "algorithms/measure/device.h"

namespace convlens::gpu {

class CudaDevice;

// Every GPU that CUDA shows this process. Asked once.
const FoundDevices& found_devices();

// GPU number `index`. Throws NoDevice, with the reason or the numbers there are, when it isn't one of them.
CudaDevice& cuda_device(int index);

// What a failed call says about the driver, or "" when its status is no matter of the driver.
std::string why_no_device(cudaError_t status);

}  // namespace convlens::gpu
