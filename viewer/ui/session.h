// Running the application: in a window, for one picture, or for the panel's data without any drawing.
#pragma once

#include "viewer/viewer.h"

namespace convlens::viewer {

void run_in_window(const ViewOptions& options);
void draw_screenshot(const ViewOptions& options);  // and the data of that same picture, where they are wanted too
void write_data(const ViewOptions& options);

}  // namespace convlens::viewer
