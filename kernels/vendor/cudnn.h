// The rows of NVIDIA's library cuDNN, beside which ours are judged.
//
// Each computes f32 on CUDA cores, without TF32, and f16 and bf16 with sums in f32, on tensor cores where cuDNN can. It
// is cuDNN that knows which layers it serves and with how much workspace: without a GPU the rows are listed and
// explained, and say so.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

// cudnn.best, the fastest engine of the graph interface, then one row for each algorithm of the legacy interface.
std::vector<const Algorithm*> cudnn_rows();

}  // namespace convlens::gpu
