// Modules: shared objects that bring what this library does not link (a vendor's library, a GPU's runtime).
//
// A module is a file convlens_NAME.so beside the program, beside this library, in its folder convlens/, or in
// ../lib/convlens from the program. It is loaded when it is first asked for. Where it is not there, or something that
// it needs is not, the program works without it and says why.
//
// Rows are described here, where they are always built, and listed whether or not their module is there:
//
//   .missing = [] { return module("onednn").missing; }
//   .decide  = [](const Request& request) { return module("onednn").row("onednn.direct").decide(request); }
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/interface/algorithm.h"

namespace convlens {

// What a module hands over. `sizes` are those that it was compiled with: one from another build is not used.
struct ModuleExports {
  std::span<const Algorithm* const> rows;  // that compute; each has the id of the row that describes it
  const void* services = nullptr;          // anything else, of a type that both sides know
  std::array<std::size_t, 4> sizes{sizeof(Algorithm), sizeof(Request), sizeof(Decisions), sizeof(Plan)};
};

// Every module defines this function: extern "C" const convlens::ModuleExports* convlens_module();
using ModuleEntry = const ModuleExports* (*)();
inline constexpr const char* kModuleEntry = "convlens_module";

struct Module {
  std::string name;
  std::string missing;  // why it is not there, in one line, or ""
  bool found = false;   // its file exists: what is missing, if anything, is something that it needs
  ModuleExports exports;

  // The row of that id. Throws Unsupported with `missing` where there is none.
  const Algorithm& row(std::string_view id) const;
};

// The module of that name, loaded on the first call and kept; any thread may ask.
const Module& module(std::string_view name);

// The same from a given file, loaded anew. Never throws: what is wrong stands in `missing`.
Module load_module(std::string_view name, const std::string& file);

}  // namespace convlens
