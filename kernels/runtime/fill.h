// Random tensors, made on the GPU.
#pragma once

#include <cstdint>

#include "algorithms/tensor/view.h"

namespace convlens::gpu {

// Fills a tensor of the current GPU with the values that algorithms/tensor/random.h gives on the host, and waits.
void fill_uniform(const TensorView& view, std::uint64_t key);

}  // namespace convlens::gpu
