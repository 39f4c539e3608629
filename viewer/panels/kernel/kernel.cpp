#include "viewer/panels/panels.h"

namespace convlens::viewer {

namespace {
void draw(Scene&) { ImGui::TextUnformatted("kernel"); }
nlohmann::ordered_json data(const Scene&) { return nlohmann::ordered_json::array(); }
}  // namespace

Panel kernel_panel() {
  return {"kernel", "Kernel", "The CUDA code that the present options compile, to read and to change", draw, data};
}

}  // namespace convlens::viewer
