// What belongs together: pointing at one cell of any tensor, which cells of all the others hold the same elements, are
// made from them, or depend on them. Every answer comes from the stages' index maps.
//
//   elements   what the cell is made of, followed down to elements of x and w
//   outputs    what depends on it
//   cells of a stage   those that hold an element of x that the cell is made of; a stage made of stages lights where
//                      its parts light
#pragma once

#include <map>
#include <string>
#include <vector>

#include "viewer/logic/model.h"

namespace convlens::viewer {

// One element that the cursor's cell is made of, with its exact coefficient where there is one (Winograd).
struct LinkedTerm {
  Operand from;  // kInput or kFilter
  Box at;
  Rational coefficient = 1;
};

struct Links {
  SourceKind kind = SourceKind::element;  // of the cursor's cell
  std::vector<LinkedTerm> terms;
  std::map<std::string, std::vector<Box>> cells;  // by exhibit: what lights up there
  // Where the cursor is on one output: of the cells of stages those that this output is computed from. The others that
  // are lit are copies of the same elements for other outputs.
  std::map<std::string, std::vector<Box>> used;
  bool complete = true;  // false: some tensor would need more boxes or questions than there may be; the first are here

  // Whether `at` of that exhibit is lit.
  bool lit(const std::string& exhibit, const Coord& at) const;
};

// Of each tensor, so that no answer takes long: boxes, and questions put to its map.
inline constexpr std::size_t kMostBoxes = 16384;
inline constexpr std::int64_t kMostQuestions = std::int64_t{1} << 16;

// Links of the cursor, which must be valid in the model (Model::valid). Empty without a problem.
Links links_of(const Model& model, const Cursor& cursor);

// The elements of x that output (n, o, p, q) reads, as boxes over the group's channels, one a tap inside the image.
std::vector<Box> window_of_output(const ConvProblem& problem, const Coord& output);

}  // namespace convlens::viewer
