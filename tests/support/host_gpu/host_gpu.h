// The program of a GPU's row, run on the host: each kernel's text is compiled by the system's C++ compiler, with
// AddressSanitizer, behind a few hundred lines that say what CUDA C++ means (device.h, device.cpp). Slow, and a check
// of every address that a kernel reads or writes, without a GPU.
//
// Not for Hopper's own instructions (wgmma, TMA), nor for cuFFT.
#pragma once

#include <span>
#include <string>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"

namespace convlens::testing {

// Why this machine cannot do so for any program, in one line, or "": it has no compiler, or not the texts to compile.
std::string why_no_host_gpu();

// Why `program` cannot be run on the host, in one line, or "".
std::string why_not_on_host(const gpu::Program& program);

// Computes y, with all tensors in the host's memory. `buffers` are the parts of `workspace`. Throws BadInput with what
// the compiler, or AddressSanitizer, says of a kernel.
void run_on_host(const gpu::Program& program, const Arguments& arguments, std::span<const Buffer> buffers,
                 std::span<std::byte> workspace);

}  // namespace convlens::testing
