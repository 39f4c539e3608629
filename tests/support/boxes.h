// Walking over boxes of coordinates.
#pragma once

#include <string>

#include "algorithms/interface/stage.h"
#include "algorithms/tensor/layout.h"

namespace convlens::testing {

inline Coord extents(const Stage& stage) {
  Coord e{1, 1, 1, 1, 1, 1};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) e[axis] = stage.axes[axis].extent;
  return e;
}
inline Coord extents(const Shape& s) { return {s[0], s[1], s[2], s[3], 1, 1}; }
inline std::int64_t flat(const Coord& at, const Coord& extent) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) index = index * extent[axis] + at[axis];
  return index;
}

template <class Visit>
void for_each(const Box& box, Visit&& visit) {
  if (box.size() == 0) return;
  Coord at = box.first;
  while (true) {
    visit(at);
    std::size_t axis = kMaxRank;
    while (axis-- > 0) {
      if (++at[axis] < box.first[axis] + box.extent[axis]) break;
      at[axis] = box.first[axis];
      if (axis == 0) return;
    }
  }
}

// An empty box is within: a cell of the filter has no outputs when the batch is empty.
inline bool within(const Box& box, const Coord& extent) {
  for (std::size_t axis = 0; axis < kMaxRank; ++axis)
    if (box.first[axis] < 0 || box.extent[axis] < 0 || box.first[axis] + box.extent[axis] > extent[axis]) return false;
  return true;
}

inline std::string text(const Coord& at) {
  std::string s = "(";
  for (std::int64_t i : at) s += (s.size() > 1 ? ", " : "") + std::to_string(i);
  return s + ")";
}

}  // namespace convlens::testing
