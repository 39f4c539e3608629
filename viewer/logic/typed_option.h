// The value of an option of free text as somebody types it: kept letter by letter, and the option's only where its rule
// allows it.
#pragma once

#include <optional>
#include <string>

#include "algorithms/interface/option.h"

namespace convlens::viewer {

class TypedOption {
 public:
  // The value as it is now. Where something else than typing has changed it, it stands in the place of what was typed.
  void follow(const std::string& value);

  // Typing begins: what the option does not take stands for the value as it is now.
  void begin() { before_ = value_; }

  // What stands in the box after a letter more or less; the value that it stands for.
  std::string type(std::string text, const Option& option);

  const std::string& text() const { return text_; }

  // "m: 9, must be an integer from 1 to 8; until then it is 2", or "".
  std::string wrong(const Option& option) const;

 private:
  std::string text_;
  std::optional<std::string> value_;   // what the box stands for
  std::optional<std::string> before_;  // what it stood for when typing began
};

}  // namespace convlens::viewer
