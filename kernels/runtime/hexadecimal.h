// Bytes as lines: two hexadecimal digits each, so that any bytes pass between a program and its child.
#pragma once

#include <string>
#include <string_view>

namespace convlens::gpu {

inline std::string to_hexadecimal(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    digits += "0123456789abcdef"[value >> 4];
    digits += "0123456789abcdef"[value & 15];
  }
  return digits;
}

// What to_hexadecimal has written.
inline std::string from_hexadecimal(std::string_view digits) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t k = 0; k + 1 < digits.size(); k += 2)
    bytes += static_cast<char>(16 * value(digits[k]) + value(digits[k + 1]));
  return bytes;
}

}  // namespace convlens::gpu
