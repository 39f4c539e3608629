// im2col on a GPU, explicit and implicit.
// im2col + GEMM on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& implicit_gemm_cc();
const Algorithm& im2col_cc();

}  // namespace convlens::gpu
