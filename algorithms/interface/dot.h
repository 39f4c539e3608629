// The inner product of two contiguous rows, Σ a[k]·b[k], kept in the accumulator's precision.
#pragma once

#include <cstdint>

#include "algorithms/tensor/dtype.h"

namespace convlens {

// Sixteen partial sums, so that the compiler can use vector registers without reordering anything by itself; the
// result depends on the length alone, never on threads.
template <class T>
Accumulator<T> dot(const T* a, const T* b, std::int64_t length) {
  using Sum = Accumulator<T>;
  constexpr int kLanes = 16;
  Sum lanes[kLanes] = {};
  std::int64_t k = 0;
  for (; k + kLanes <= length; k += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<Sum>(a[k + lane]) * static_cast<Sum>(b[k + lane]);
  Sum sum = 0;
  for (; k < length; ++k) sum += static_cast<Sum>(a[k]) * static_cast<Sum>(b[k]);
  for (int lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

}  // namespace convlens
