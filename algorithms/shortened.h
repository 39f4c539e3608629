// Long texts in messages: what a user or a compiler wrote is quoted by its beginning.
#pragma once

#include <string>
#include <string_view>

namespace convlens {

// `text`, or, where it has more than `most` bytes, its first ones and "…"; no letter of UTF-8 is cut in two.
inline std::string shortened(std::string_view text, std::size_t most = 120) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0u) == 0x80u) --most;
  return std::string(text.substr(0, most)) + "…";
}

}  // namespace convlens
