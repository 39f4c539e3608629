// Which code of a kernel the present options compile: every `if constexpr` is decided by the constants that stand above
// it in the text, where these decide it, and every #if by the macros there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "viewer/logic/cuda_tokens.h"

namespace convlens::viewer {

// Ordered: where two apply to one piece of code, the larger counts.
enum class Code : std::uint8_t {
  plain,      // under no condition
  chosen,     // under one that holds
  undecided,  // under one that names and numbers do not decide, such as a template's parameter
  left_out,   // under one that does not hold, after a return under one that does, or left out by the preprocessor
};

struct Piece {
  std::size_t begin = 0, end = 0;  // bytes of the line
  Code code = Code::plain;
};
using Line = std::vector<Piece>;  // covers the line

struct CompiledCode {
  std::map<std::string, std::vector<Line>> files;  // by name, as the #line directives have it
  int decided = 0, undecided = 0;                  // conditions
};

// `source` as gpu::source puts it together, what the program has decided and then the files, for a GPU of this
// architecture ("sm_90a"). Takes time and memory in proportion to the text, however it is nested.
CompiledCode compiled_code(const std::string& source, const std::string& architecture);

}  // namespace convlens::viewer
