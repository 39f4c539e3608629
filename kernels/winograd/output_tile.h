// Which output tile a request of winograd.cc or winograd.tc is computed with.
#pragma once

#include "algorithms/interface/request.h"

namespace convlens::gpu {

// V and U are stored short, and sums are in FP32.
bool on_tensor_cores(const Request& request);

// Whether the request has the option and asks for it: tensor cores have no fused kernel.
bool fused(const Request& request);

// The request as the rules and matrices of every Winograd row read it: with its m, chosen where it is auto, and the
// type that V and U are stored in.
Request with_output_tile(const Request& request);

}  // namespace convlens::gpu
