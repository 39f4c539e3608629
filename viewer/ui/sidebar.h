// The left side of the frame.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

void draw_sidebar(Scene& scene);

// A part of it: which algorithms, with which options, and why others cannot run.
void draw_algorithms(Scene& scene);

void heading(const char* text);

}  // namespace convlens::viewer
