// Which GPUs a kernel can be compiled for and launched on, and what is said of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"

namespace convlens::gpu {

// Throws Unsupported, with the rule and what needs it, where the kernel's instructions do not exist on `architecture`,
// such as "sm_80" or "sm_90a".
void check_architecture(const Kernel& kernel, const std::string& architecture);

// The most bytes of shared memory, static and dynamic, that a block may ask for on `architecture`; nothing for one that
// is not in the table.
std::optional<std::int64_t> most_shared_bytes(const std::string& architecture);

// Throws Unsupported where `bytes` of shared memory a block are more than `most`, which is what `architecture` has.
void check_shared_bytes(const std::string& entry, std::int64_t bytes, std::int64_t most,
                        const std::string& architecture);

// Why no block of the launch can run on `architecture`, by both of these; or "".
std::string why_not_on(const Launch& launch, const std::string& architecture);

// Throws Unsupported with the same sentence. Where shared memory is too small, it also names the nearest run of the row
// that can: with one option changed, of the fewest executed FLOPs and then the most shared memory.
void check_launch(const Plan& plan, const Launch& launch, const std::string& architecture);

}  // namespace convlens::gpu
