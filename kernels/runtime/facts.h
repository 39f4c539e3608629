// What a GPU is.
#pragma once

#include "algorithms/measure/device.h"

namespace convlens::gpu {

DeviceFacts device_facts(int device);

}  // namespace convlens::gpu
