// The rows of NVIDIA's library cuDNN, beside which ours are judged.
//
// Each computes f32 on CUDA cores, without TF32, and f16 and bf16 on tensor cores where cuDNN can, within the bound of
// sums in f32, though an engine may note that it shortens them. It is cuDNN that knows which layers it serves and with
// how much workspace: without a GPU the rows are listed and explained, and say so.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"
#include "algorithms/interface/plan.h"

namespace convlens::gpu {

// cudnn.best, the fastest engine of the graph interface, then one row for each algorithm of the legacy interface.
std::vector<const Algorithm*> cudnn_rows();

// What stands in the place of bytes that only cuDNN's answer would tell.
inline constexpr const char* kUnknownWorkspace = "unknown without cuDNN";

// Whether the plan's workspace is what its row asks for; of a row of cuDNN that was planned without a GPU it is not:
// its 0 bytes mean that nobody was asked.
bool workspace_known(const Plan& plan);

}  // namespace convlens::gpu
