// Running the application: in a window, or for one picture without any.
#pragma once

#include "viewer/viewer.h"

namespace convlens::viewer {

void run_in_window(const ViewOptions& options);
void draw_screenshot(const ViewOptions& options);

}  // namespace convlens::viewer
