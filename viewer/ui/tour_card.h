// The guided tour's card: what the present step says, and an outline around what it points at.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

// Inside a window, as wide as it: a strip of its own, so that it covers nothing. Nothing while no tour is on.
void draw_tour_card(Scene& scene);

// Above all windows.
void draw_tour_outline(const Scene& scene);

}  // namespace convlens::viewer
