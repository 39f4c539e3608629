// The texts of the kernels: where they are found, and how one is put together for the compiler.
//
// Looked for in the folder that CONVLENS_KERNELS names, in the source tree, in share/convlens/kernels beside the
// binary, and last in the copy inside the program.
#pragma once

#include <string>

#include "algorithms/output_file.h"
#include "kernels/program.h"

namespace convlens::gpu {

inline constexpr std::size_t kMostText = std::size_t{1} << 20, kMostFiles = 100;

// One file below kernels/, as in "common/tile.cuh". Throws BadInput that names the file when it is nowhere, not
// below, or in the folder that CONVLENS_KERNELS names something else than a file that can be read.
std::string kernel_file(const std::string& file);

// The whole text that is compiled: what the program has decided (sizes, options, layouts), then the file, with every
// file that it includes by "name" in its place, once each. #line directives make compilers, debuggers and profilers
// speak of the files as they are in kernels/. Throws BadInput where a file is not there or no text, or there are more
// than kMostFiles of them, or kMostText bytes.
std::string source(const Kernel& kernel);

// The files that it is put together from, the kernel's own first.
std::vector<std::string> source_files(const Kernel& kernel);

// Where texts lie, or would be looked for first: all that the program knows and the kernel's own, in each of the
// folders. Called "CONVLENS_KERNELS" where that names the folder, else "the kernels' texts". What is written there
// takes their place.
NamedFiles places_of_texts(const Kernel& kernel);

// The bytes of the parameter `Sizes s`: one byte of no meaning when sizes are constants.
std::vector<std::byte> sizes_parameter(const Kernel& kernel);

}  // namespace convlens::gpu
