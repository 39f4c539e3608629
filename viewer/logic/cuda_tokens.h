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
  std::vector<Range> left_out;   // by a condition of the preprocessor that does not hold
  std::vector<Range> undecided;  // by one of a macro that is the compiler's own, or a call
};

// `source` must outlive the tokens. It is read as for a GPU of this architecture, "sm_90a": __CUDA_ARCH__ is 900 then.
// Names defined by #define in the text itself are known, others are not defined; those that begin with two underscores,
// and so are the compiler's or its headers', may or may not be. Takes time in proportion to the text.
CudaTokens tokens_of(std::string_view source, const std::string& architecture = "");

// The same of a part of it, such as one line, in which a '#' is no directive.
std::vector<Token> words_of(std::string_view part);

}  // namespace convlens::viewer
