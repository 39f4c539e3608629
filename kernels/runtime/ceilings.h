// What a GPU can do at most, measured there.
#pragma once

#include "algorithms/measure/device.h"

namespace convlens::gpu {

// A copy within the GPU's memory, and products of large matrices of random numbers by cuBLAS. Takes about a second.
DeviceCeilings measure_ceilings(Device& device);

}  // namespace convlens::gpu
