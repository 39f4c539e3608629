// implicit_gemm.tc with instructions=mma: on the tensor cores of any GPU since sm_80.
#pragma once

#include "kernels/common/filter_rows.h"
#include "kernels/row.h"

namespace convlens::gpu {

Decisions implicit_gemm_by_mma(const Request& request);

// What either of the row's kernels decides: the matrix that is never stored, the filter where it is packed, FLOPs,
// errors.
Decisions implicit_gemm_decisions(Program program, const FilterRows& filter, const Request& request);

}  // namespace convlens::gpu
