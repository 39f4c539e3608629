// Tensor maps in the form that the hardware reads.
#pragma once

#include <cuda.h>

#include "kernels/tensor_map.h"

namespace convlens::gpu {

// Of the tensor at `address`. Throws Unsupported, with the map, where the driver doesn't take it: an address that is no
// multiple of 16 bytes, say.
CUtensorMap encode(const TensorMap& map, void* address);

}  // namespace convlens::gpu
