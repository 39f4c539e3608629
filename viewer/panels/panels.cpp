// The panels, one line each.
#include "viewer/panels/panels.h"

namespace convlens::viewer {

const std::vector<Panel>& panels() {
  static const std::vector<Panel> all{
      layouts_panel(), performance_panel(), memory_panel(), numerics_panel(), kernel_panel(),
  };
  return all;
}

}  // namespace convlens::viewer
