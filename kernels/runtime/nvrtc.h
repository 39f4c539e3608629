// The compiler, NVRTC: from a kernel's text to machine code, on any machine, with or without a GPU.
//
// Always with -lineinfo, so that profilers and debuggers speak of the texts' lines, and with -ftz=false: subnormal
// numbers are kept. Never with fast-math.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/cache.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

// The recipe for `text` on an architecture ("sm_90a"). Throws Unsupported for one that the compiler does not know.
Recipe recipe(std::string text, const std::string& architecture);

// Cubin, PTX and log, made in a process of its own. `file` is the text's name in messages. Throws BadInput with the log
// when the text has an error, or that the compiler died of it, and Unsupported once `stop` is true.
Compiled compile_anew(const Recipe& recipe, const std::string& file, const std::function<bool()>& stop);

// Fills in what the log says of one kernel: registers, shared memory, spills. Throws BadInput when the text has no
// kernel of that name.
void read_resources(Compiled& compiled, const Kernel& kernel);

// The name by which a GPU of compute capability major.minor is compiled for, with all instructions that only it has
// ("sm_90a"). Throws Unsupported, naming what this NVRTC compiles for, when that isn't among them.
std::string architecture(int major, int minor);

// The folders with NVIDIA's headers (cuda_fp16.h, mma.h): those of CUDA_PATH and CUDA_HOME, those beside libnvrtc
// (a toolkit's, or pip's), and /usr/local/cuda.
std::vector<std::string> header_folders();

}  // namespace convlens::gpu
