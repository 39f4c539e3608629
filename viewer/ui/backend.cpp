#include "viewer/ui/backend.h"

#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

namespace convlens::viewer {

void begin_frame(App& app, double monitor_scale) {
  // The first texture is made by NewFrame, later ones here. The backend's other objects stay: Dear ImGui 1.86 takes new
  // buffers for as large as the old ones were, and then draws nothing until it needs still larger ones.
  const bool drawn_before = ImGui::GetIO().Fonts->TexID != nullptr;
  if (app.prepare(monitor_scale) && drawn_before) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  ImGui_ImplOpenGL3_NewFrame();
}

}  // namespace convlens::viewer
