// Maps asked about whole boxes: the same as asking about each element or cell of the box, in far fewer questions.
//
// Along an axis of the box the answers mostly only shift: channel c + 1 lands one cell further than channel c, or in
// the same cell. Then the first, second and last answer say all, and pieces that move by one along one axis become
// pieces of that length. Where the answers do anything else, at the edges of an image or of a tile, each half of the
// box is asked for itself. What a map does along one axis does not depend on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/interface/plan.h"

namespace convlens::viewer {

// How much may be asked and answered. Where it does not suffice, the answer is cut short, and `complete` turns false.
struct Budget {
  std::size_t boxes;       // of one answer
  std::int64_t questions;  // left, of all that share the budget
  bool complete = true;
};

// The cells of `stage` that elements of `box` of operand `from` go into, as boxes without repetitions.
std::vector<Box> cells_of_box(const Plan& plan, const Stage& stage, Operand from, const Box& box, Budget& budget);

// What the cells of `box` of `stage` are made of; terms of regions have the coefficient 1.
std::vector<Term> sources_of_box(const Stage& stage, const Box& box, Budget& budget);

// The cells of `boxes` of `stage` that `output` depends on, as boxes. Along no axis of a stage do its outputs move
// backwards: boxes whose last cell serves outputs before `output`, or whose first serves some after it, are left out
// as a whole.
std::vector<Box> cells_for_output(const ConvProblem& problem, const Stage& stage, const std::vector<Box>& boxes,
                                  const Coord& output, Budget& budget);

// All cells of `stage` that `output` depends on. Strides and dilations may leave cells between others that no output
// reads, so along axes other than images and channels every cell is asked.
std::vector<Box> cells_for_output(const ConvProblem& problem, const Stage& stage, const Coord& output, Budget& budget);

// Sorted, each once.
void remove_repetitions(std::vector<Box>& boxes);

}  // namespace convlens::viewer
