// Where a whole box of elements goes: the same as asking a map for each of them, in far fewer questions.
//
// Along an axis of the box a map mostly only shifts: channel c + 1 lands one cell further than channel c, or in the
// same cell. Then the answers of the first, second and last element say all: answers that move by one cell an element
// along one axis become boxes of that length. Where they do anything else, every element is asked.
#pragma once

#include <vector>

#include "algorithms/interface/stage.h"

namespace convlens::viewer {

// The cells that elements of `box` of operand `from` go into, as boxes without repetitions; `complete` becomes false
// when there are more than `most` of them.
std::vector<Box> cells_of_box(const AnyMap& map, Operand from, const Box& box, std::size_t most, bool& complete);

// Sorted, each once.
void remove_repetitions(std::vector<Box>& boxes);

}  // namespace convlens::viewer
