// Modules: shared libraries that bring further rows (a vendor's library, the GPU) and may be missing.
//
// A module is a file libconvlens_NAME.so beside the program or in the folder of the library; it is loaded when the
// program starts. Where it is missing, or a library that it needs is, the program works without its rows and can say why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens {

// What every module exports, as `extern "C"`, under the name convlens_module.
using ModuleRows = std::span<const Algorithm* const> (*)();

struct Module {
  std::string name;     // "onednn"
  std::string missing;  // why its rows are not there, or ""
};

// Loads the modules this build knows of, once; adds their rows to the registry. Later calls return the same answer.
const std::vector<Module>& load_modules();

}  // namespace convlens
