// Machine code of an NVIDIA GPU as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace convlens::cli {

// SASS, by the toolkit's nvdisasm or cuobjdump, looked for in CUDA_PATH, CUDA_HOME, PATH and /usr/local/cuda.
// Throws Unsupported, in one line, where neither is found or it fails.
std::string disassemble(std::span<const std::byte> cubin);

// The path of a program of the CUDA toolkit, looked for in the same places; "" where it isn't.
std::string toolkit_program(const std::string& name);

}  // namespace convlens::cli
