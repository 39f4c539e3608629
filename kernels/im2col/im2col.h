// im2col on a GPU, explicit and implicit.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& im2col_cc();
const Algorithm& implicit_gemm_cc();
const Algorithm& implicit_gemm_tc();

}  // namespace convlens::gpu
