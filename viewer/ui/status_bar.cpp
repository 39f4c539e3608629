// The bottom line: everything that is known about the cell that the pointer is on.
#include <cmath>
#include <cstdio>

#include "viewer/ui/app.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

void draw_status_bar(Scene& scene) {
  ImGui::BeginChild("status", {0, 0}, true);
  if (scene.values != nullptr && scene.pointed != nullptr) {
    const Exhibit* exhibit = scene.model().find(scene.pointed->tensor);
    if (exhibit != nullptr && exhibit->cells() > 0) {
      const CellWords words = cell_words(scene.model(), *scene.values, *exhibit, scene.pointed->at);
      ImGui::TextUnformatted((words.name + " = " + words.value).c_str());
      ImGui::SameLine();
      ImGui::TextDisabled("%s", words.address.c_str());
      ImGui::TextUnformatted(words.formula.c_str());
    }
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
