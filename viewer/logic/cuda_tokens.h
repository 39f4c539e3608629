// The words of a CUDA text, for those who ask what of it is compiled: without comments and strings, and with what the
// preprocessor leaves out left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convlens::viewer {

struct Token {
  std::string_view text;  // of the source
  std::size_t offset = 0;

  bool is(std::string_view other) const { return text == other; }
  bool is_name() const;
};

// A part of a text, [begin, end) in bytes.
struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

struct CudaTokens {
  std::vector<Token> tokens;
  std::vector<Range> left_out;   // by #ifdef and #ifndef of names that the text itself defines or not
  std::vector<Range> undecided;  // inside an #if, which is not evaluated
};

// `source` must outlive the tokens. Names defined by #define in the text itself are known; all others are not defined.
CudaTokens tokens_of(std::string_view source);

}  // namespace convlens::viewer
