// Which GPUs a kernel can be compiled for, and what is said of the others.
#pragma once

#include <string>

#include "kernels/program.h"

namespace convlens::gpu {

// Throws Unsupported, with the rule and what needs it, where the kernel's instructions do not exist on `architecture`,
// such as "sm_80" or "sm_90a".
void check_architecture(const Kernel& kernel, const std::string& architecture);

}  // namespace convlens::gpu
