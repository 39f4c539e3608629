// What the preprocessor's conditions decide: which macros a text has defined up to here, and what an #if says of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/logic/cuda_tokens.h"

namespace convlens::viewer {

// Whether code is compiled.
enum class Branch : std::uint8_t { in, out, undecided };

class Preprocessor {
 public:
  // The macros of the compiler for a GPU of this architecture, as in "sm_90a".
  explicit Preprocessor(const std::string& architecture);

  // A directive's name, as in "ifdef", and the rest of its line; at `end` of the text what it governs begins. Those
  // that are no condition and no macro are passed over.
  void take(const std::string& name, std::string_view rest, std::size_t begin, std::size_t end);

  Branch branch() const;  // of the code here

  // Parts of the text that an #if, #ifdef and so on has left out, or has not been decided for.
  std::vector<Range> left_out, undecided;

 private:
  struct Macro {
    std::optional<bool> defined;
    std::optional<std::int64_t> value;
  };
  struct Condition {
    Branch branch = Branch::in;
    std::optional<bool> taken;  // whether one of its branches so far, this included, is compiled
    std::size_t begin = 0;      // of what it governs
  };

  Macro known(std::string_view name) const;
  std::optional<bool> holds(std::string_view expression) const;
  void define(std::string_view rest, bool defined);
  void open(std::optional<bool> holds, std::size_t begin);
  void next(std::optional<bool> holds, std::size_t begin);
  void close(std::size_t end);
  void count(Branch branch, int change);

  std::map<std::string, Macro, std::less<>> macros_;
  std::vector<Condition> open_;
  std::size_t out_ = 0, doubtful_ = 0;  // of those that are open
};

}  // namespace convlens::viewer
