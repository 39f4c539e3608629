// im2win on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& im2win_cc();
const Algorithm& im2win_tc();

}  // namespace convlens::gpu
