#pragma once

#include "algorithms/interface/index_map.h"

namespace convlens::viewer {

// Calls visit(at) for every cell of the box, the last axis fastest.
template <class Visit>
void for_each_cell(const Box& box, Visit&& visit) {
  Coord at = box.first;
  for (std::int64_t left = box.size(); left > 0; --left) {
    visit(at);
    for (std::size_t axis = kMaxRank; axis-- > 0;) {
      if (++at[axis] < box.first[axis] + box.extent[axis]) break;
      at[axis] = box.first[axis];
    }
  }
}

}  // namespace convlens::viewer
