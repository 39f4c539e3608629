#include "viewer/ui/status_bar.h"

namespace convlens::viewer {

void StatusBar::draw(Scene& scene, const std::string& notice) {
  ImGui::BeginChild("status", {0, 0}, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const Exhibit* exhibit = scene.pointed == nullptr ? nullptr : scene.model().find(scene.pointed->tensor);
  if (scene.values != nullptr && exhibit != nullptr && exhibit->cells() > 0) {
    std::string key = std::to_string(scene.version) + exhibit->id;
    for (const std::int64_t index : scene.pointed->at) key += "," + std::to_string(index);
    const CellWords* words =
        words_.get(key, scene.painter, [model = scene.shared_model, values = scene.values, exhibit, at = scene.pointed->at] {
          return cell_words(*model, *values, *exhibit, at);
        });
    if (words != nullptr) {
      ImGui::TextUnformatted((words->name + " = " + words->value).c_str());
      ImGui::SameLine();
      ImGui::TextDisabled("%s", words->address.c_str());
      if (notice.empty()) ImGui::TextUnformatted(words->formula.c_str());
    }
  }
  if (!notice.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().wrong);
    ImGui::TextUnformatted(notice.c_str());
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
