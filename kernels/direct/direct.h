// Direct convolution on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& direct_cc();
const Algorithm& direct_tc();

}  // namespace convlens::gpu
