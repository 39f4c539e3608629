// What belongs together: pointing at one cell of any tensor, which cells of all the others hold the same elements, are
// made from them, or depend on them. Every answer comes from the stages' index maps.
//
//   of the cursor's own row   its sources and destinations, step by step (trail.h)
//   x, w, y                   the elements that it is made of, the outputs that depend on it
//   of y                      what holds an element of its window, and whatever else it is computed from: zeros of the
//                             padding, and tiles that reach beyond it
//   of other rows             the same place elsewhere: what holds one of those elements of x or w, and what is made
//                             from cells that do
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "viewer/logic/model.h"
#include "viewer/logic/trail.h"

namespace convlens::viewer {

// How a cell that lights up belongs to the cursor's.
enum class Tie : std::uint8_t {
  self,
  source,       // the cursor's cell is made of it
  destination,  // it is made of the cursor's cell
  elsewhere,    // the same place in another row's tensors, or a further copy for other outputs
};
std::string name(Tie tie);  // "this", "source", "destination", "the same place elsewhere"

// The exact factor between the cursor's cell and a lit one (coefficients.h).
struct Coefficient {
  Coord at{};
  Rational value;
};

struct Links {
  SourceKind kind = SourceKind::element;  // of the cursor's cell
  std::vector<LinkedTerm> terms;
  std::map<std::string, std::vector<Box>> cells;  // by exhibit: what lights up there
  std::map<std::string, Tie> ties;                // by exhibit, how they belong to the cursor's cell
  // Where not all that is lit in an exhibit is a source or destination: the part that is. All others are the same place
  // elsewhere, such as copies of an output's pixels for other outputs. It is everything where an exhibit has no entry.
  std::map<std::string, std::vector<Box>> used;
  std::map<std::string, std::vector<Coefficient>> coefficients;  // by exhibit, where there are any
  std::int64_t image = 0;  // of the cursor's cell: what tensors in which nothing is lit are to be seen at
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
