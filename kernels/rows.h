// The one list of rows that run on an NVIDIA GPU.
#pragma once

namespace convlens::gpu {

// Adds the GPU's rows and devices to the program; the faces call it once, at their start. Loads nothing: the runtime
// module is opened when a device is first asked for.
void add_rows();

}  // namespace convlens::gpu
