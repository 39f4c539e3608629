#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

Panel layouts_panel();
Panel performance_panel();
Panel memory_panel();
Panel numerics_panel();
Panel kernel_panel();

}  // namespace convlens::viewer
