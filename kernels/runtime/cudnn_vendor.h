// The steps of a program that are calls of cuDNN: asked for when a plan is made, executed when it is run.
#pragma once

#include "algorithms/interface/plan.h"
#include "kernels/program.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

// Runtime::ask for `library` = "cudnn". `engine` is an algorithm of the legacy interface ("FFT_TILING"), or "best" or
// "best but FFT and Winograd" of the graph interface's engines, which are timed when a layer is first asked for.
VendorAnswer ask_cudnn(const Request& request, const VendorCall& call);

// Queues the call, which ask_cudnn has prepared, on `stream`. Neither allocates on the device nor waits.
void execute_cudnn(const VendorCall& call, const Arguments& arguments, const Workspace& workspace, Stream stream);

}  // namespace convlens::gpu
