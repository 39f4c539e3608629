// Direct convolution on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& direct_cc();

}  // namespace convlens::gpu
