// What the window and the picture without one do alike before Dear ImGui begins a frame.
#pragma once

#include "viewer/ui/app.h"

namespace convlens::viewer {

// Takes the app's scale and theme, with a new texture where the fonts are new, and lets the backend begin its frame.
// Needs a current context of OpenGL.
void begin_frame(App& app, double monitor_scale);

}  // namespace convlens::viewer
