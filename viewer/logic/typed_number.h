// A whole number as somebody types it: kept letter by letter, and a number only where it is one of 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convlens::viewer {

// "12", "-3", "+4"; nothing for anything else, and for what 64 bits with a sign cannot hold.
std::optional<std::int64_t> typed_number(std::string_view text);

class TypedNumber {
 public:
  // The number as it is now. Where something else than typing has changed it, it stands in the place of what was typed.
  void follow(std::int64_t value);

  // Typing begins: what is no number stands for the number as it is now.
  void begin() { before_ = value_; }

  // What stands in the box after a letter more or less; the number that it stands for.
  std::int64_t type(std::string text);

  const std::string& text() const { return text_; }

  // "groups: 99999999999999999999, must be a whole number of 64 bits, …; until then it is 1", or "".
  std::string wrong(const std::string& parameter) const;

 private:
  std::string text_;
  std::optional<std::int64_t> value_;   // what the box stands for
  std::optional<std::int64_t> before_;  // what it stood for when typing began
};

}  // namespace convlens::viewer
