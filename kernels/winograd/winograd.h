// Winograd convolution on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& winograd_cc();
const Algorithm& winograd_tc();

}  // namespace convlens::gpu
