// The options of a chosen run: a list of values each, or a box where what it can be is not listed.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

// Of the run with that number in the state, which must be one of `row`.
void draw_options(Scene& scene, const Algorithm& row, std::size_t number);

}  // namespace convlens::viewer
