// How far each algorithm has come when all run side by side: every one goes through its own tensors, in the same time.
//
// An algorithm's phases are its stages by what they are made from (first those made from x and w, then those made from
// these, …), and y at the end. All algorithms take kSteps steps; in each phase the tensors grow, and then stand whole
// for a while to be looked at.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "viewer/logic/model.h"

namespace convlens::viewer {

inline constexpr std::int64_t kSteps = 48;
inline constexpr std::array<const char*, 5> kFamilies{"direct", "im2col", "im2win", "winograd", "fft"};

struct Phase {
  std::vector<const Exhibit*> exhibits;  // that come into being, those made from x first
};

// Of the row with that number in the model, which must have a plan.
std::vector<Phase> phases_of(const Model& model, int row);

struct Progress {
  std::size_t phase = 0;
  double made = 1;  // the part of the phase's tensors that exists
};
Progress progress_at(std::int64_t step, std::size_t phases);

// The first chosen row of `family` that has a plan, else the first that is refused; −1 where none is chosen.
int row_of_family(const Model& model, const std::string& family);

// The numbers of the rows that stand for the families, in the order of these.
std::vector<int> rows_side_by_side(const Model& model);

// A chosen row that does not, and why: "im2col.ref is shown".
struct LeftOut {
  std::string run, why;
};
std::vector<LeftOut> left_out(const Model& model);

}  // namespace convlens::viewer
