// The guided tour's card: what the present step says, and an outline around what it points at.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

// Above all other windows; nothing while no tour is on.
void draw_tour_card(Scene& scene);

}  // namespace convlens::viewer
