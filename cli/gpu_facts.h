// What is known of a run on a GPU besides its time: the device, the libraries, the main kernel.
#pragma once

#include <string>

#include "algorithms/measure/record.h"
#include "algorithms/measure/side_by_side.h"

namespace convlens::cli {

// Fills in what `measurement`, of one of `count` plans that were measured side by side, says of the GPU.
void add_gpu_facts(Measurement& measurement, const Outcome& outcome, std::size_t count);

// What kernels for a device are compiled for: "sm_80", and from Hopper on with all its own instructions, "sm_90a".
std::string compiled_for(const DeviceFacts& facts);

}  // namespace convlens::cli
