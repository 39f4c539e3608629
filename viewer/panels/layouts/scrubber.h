// A line to move along: to the ends, back and on by one, playing, and a slider. Space plays, the arrows step.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

// Moves `member` of the state between 0 and `most`, `per_second` steps a second while it plays.
void draw_scrubber(Scene& scene, std::int64_t State::*member, std::int64_t most, double per_second);

}  // namespace convlens::viewer
