// Why a row cannot compute the layer, and a button for the nearest change with which it can.
#pragma once

#include <string>

#include "algorithms/interface/algorithm.h"
#include "viewer/ui/scene.h"

namespace convlens::viewer {

// The two of them, and the button alone, where there is a change. Of a run by the name that run_name gives it: one that
// is chosen, or would be if its row were.
void draw_refusal(Scene& scene, const Algorithm& row, const std::string& run, const Support& support);
void offer_nearest(Scene& scene, const Algorithm& row, const std::string& run, const Support& support);

}  // namespace convlens::viewer
