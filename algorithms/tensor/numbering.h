// The number of an element: in NCHW order (OIHW for filters), whatever the layout. Random data, checks and failures
// count elements so, and mean the same one in every layout.
#pragma once

#include <cstdint>

#include "algorithms/tensor/layout.h"

namespace convlens {

constexpr std::int64_t number_of(const Shape& at, const Shape& shape) {
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}

constexpr Shape place_of(std::int64_t number, const Shape& shape) {
  Shape at{};
  for (std::size_t axis = 4; axis-- > 0; number /= shape[axis]) at[axis] = number % shape[axis];
  return at;
}

}  // namespace convlens
