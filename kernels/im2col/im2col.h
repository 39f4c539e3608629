// im2col + GEMM on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& im2col_cc();

}  // namespace convlens::gpu
