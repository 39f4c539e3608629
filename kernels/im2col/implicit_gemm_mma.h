// implicit_gemm.tc with instructions=mma: on the tensor cores of any GPU since sm_80.
#pragma once

#include "kernels/row.h"

namespace convlens::gpu {

Decisions implicit_gemm_by_mma(const Request& request);

}  // namespace convlens::gpu
