// 64-bit arithmetic that says so when it overflows, instead of wrapping to a small number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "algorithms/error.h"

namespace convlens::checked {

// The product of `factors`. Throws Unsupported, naming `what` was counted, when it exceeds 2^63 − 1.
inline std::int64_t product(const char* what, std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  std::string written;
  bool overflow = false;
  for (std::int64_t factor : factors) {
    if (factor == 0) return 0;
    overflow = __builtin_mul_overflow(result, factor, &result) || overflow;
    written += (written.empty() ? "" : "·") + std::to_string(factor);
  }
  if (overflow) throw Unsupported(std::string(what) + ": " + written + ", overflows 64 bits");
  return result;
}

inline std::int64_t sum(const char* what, std::initializer_list<std::int64_t> terms) {
  std::int64_t result = 0;
  std::string written;
  for (std::int64_t term : terms) {
    written += (written.empty() ? "" : "+") + std::to_string(term);
    if (__builtin_add_overflow(result, term, &result))
      throw Unsupported(std::string(what) + ": " + written + ", overflows 64 bits");
  }
  return result;
}

}  // namespace convlens::checked
