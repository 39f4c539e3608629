// Maps asked about whole boxes: the same as asking about each element or cell of the box, in far fewer questions.
//
// Along an axis of the box the answers mostly only shift: channel c + 1 lands one cell further than channel c, or in
// the same cell. Then the first, second and last answer say all, and pieces that move by one along one axis become
// pieces of that length. Where the answers do anything else, at the edges of an image or of a tile, each half of the
// box is asked for itself. What a map does along one axis does not depend on the others.
#pragma once

#include <vector>

#include "algorithms/interface/plan.h"

namespace convlens::viewer {

// The cells of `stage` that elements of `box` of operand `from` go into, as boxes without repetitions; `complete`
// becomes false when there are more than `most` of them.
std::vector<Box> cells_of_box(const Plan& plan, const Stage& stage, Operand from, const Box& box, std::size_t most,
                              bool& complete);

// What the cells of `box` of `stage` are made of; terms of regions have the coefficient 1. `complete` as above.
std::vector<Term> sources_of_box(const Stage& stage, const Box& box, std::size_t most, bool& complete);

// The cells of `boxes` of `stage` that `output` depends on, as boxes. Along no axis of a stage do its outputs move
// backwards: boxes whose last cell serves outputs before `output`, or whose first serves some after it, are left out
// as a whole.
std::vector<Box> cells_for_output(const Stage& stage, const std::vector<Box>& boxes, const Coord& output);

// Sorted, each once.
void remove_repetitions(std::vector<Box>& boxes);

}  // namespace convlens::viewer
