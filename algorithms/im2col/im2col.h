// im2col + GEMM: explicit (the matrix is stored) and implicit (it exists only as an index map).
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& im2col_ref();
const Algorithm& implicit_gemm_ref();

// The im2col matrix of `problem` as a stage, whole and not stored; lowerings that store it say which part.
Stage im2col_stage(const ConvProblem& problem, DType dtype);

}  // namespace convlens
