#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

Panel layouts_panel();
Panel performance_panel();
Panel memory_panel();
Panel numerics_panel();
Panel kernel_panel();

void ask_kernel_trial(Scene& scene);  // as the Kernel panel's button "check and time" does

}  // namespace convlens::viewer
