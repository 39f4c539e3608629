// The texts of the kernels: where they are found, and how one is put together for the compiler.
//
// Looked for in the folder that CONVLENS_KERNELS names, in the source tree, in share/convlens/kernels beside the
// binary, and last in the copy inside the program.
#pragma once

#include <string>

#include "kernels/program.h"

namespace convlens::gpu {

// One file below kernels/, as in "common/tile.cuh". Throws BadInput that names the file when it is nowhere.
std::string kernel_file(const std::string& file);

// The whole text that is compiled: what the program has decided (sizes, options, layouts), then the file, with every
// file that it includes by "name" in its place, once each. #line directives make compilers, debuggers and profilers
// speak of the files as they are in kernels/.
std::string source(const Kernel& kernel);

// The files that it is put together from, the kernel's own first.
std::vector<std::string> source_files(const Kernel& kernel);

// The bytes of the parameter `Sizes s`: one byte of no meaning when sizes are constants.
std::vector<std::byte> sizes_parameter(const Kernel& kernel);

}  // namespace convlens::gpu
