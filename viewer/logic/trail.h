// The way of one cell through its own row, step by step: the cells that it is made of, what those are made of, down to
// elements of x and w; and the cells that it goes into, and those that these go into.
//
//   M(ξ, ν, n, t, s, o) ← V(ξ, ν, n, t, s, :), U(ξ, ν, o, :) ← x, w
//   V(ξ, ν, n, t, s, c) → M(ξ, ν, n, t, s, :)
//
// Nothing else of the row is on it: other tiles that read the same pixels have another way. But a row may read what a
// map names in another order, which is a stage of its own: x in NHWC, U in panels. Such a copy is on the way too.
#pragma once

#include <vector>

#include "viewer/logic/box_queries.h"

namespace convlens::viewer {

// One element that a cell is made of, with its exact coefficient where there is one (Winograd).
struct LinkedTerm {
  Operand from;  // kInput or kFilter
  Box at;
  Rational coefficient = 1;
};

struct Trail {
  std::vector<LinkedTerm> terms;                        // elements of x and w
  std::vector<std::vector<Box>> sources, destinations;  // by stage of the plan, each box once
};

// Of cell `at` of the stage with that number, within `budget`.
Trail trail_of(const Plan& plan, std::size_t stage, const Coord& at, Budget& budget);

}  // namespace convlens::viewer
