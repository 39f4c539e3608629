// The guided tour: what a student sees first, in eight steps from the photograph to the ablation. A table: what each
// step says, what it sets in the state, and which part of the frame it points at.
#pragma once

#include <string>
#include <vector>

#include "viewer/logic/state.h"

namespace convlens::viewer {

struct TourStep {
  const char* title;
  const char* text;
  void (*set)(State& state);  // from the first state, theme and scale kept
  const char* points_at;      // a child window: "sidebar", "x", or "/im2col" for a tensor of that name, whichever row's
};
const std::vector<TourStep>& tour();

// The step that is on show, or null.
const TourStep* tour_step(const State& state);

// `state` at that step, from 1; at 0 the tour is over and all stays as it is.
State at_tour_step(const State& state, std::int64_t step);

}  // namespace convlens::viewer
