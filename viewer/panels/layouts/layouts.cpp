#include "viewer/panels/layouts/layouts.h"

#include <nlohmann/json.hpp>

#include "viewer/panels/panels.h"

namespace convlens::viewer {

namespace {

// The arrangements, one line each.
const std::vector<Arrangement>& arrangements() {
  static const std::vector<Arrangement> all{
      grids_arrangement(), five_arrangement(), copies_arrangement(), ribbon_arrangement(), schedule_arrangement(),
  };
  return all;
}

const Arrangement& chosen(const State& state) {
  for (const Arrangement& arrangement : arrangements())
    if (state.arrangement == arrangement.id) return arrangement;
  return arrangements().front();
}

void draw(Scene& scene) {
  const Arrangement& now = chosen(scene.state);
  for (const Arrangement& arrangement : arrangements()) {
    // As many on a line as fit.
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width = ImGui::CalcTextSize(arrangement.title).x + ImGui::GetFrameHeight() + 2 * style.ItemSpacing.x;
    if (&arrangement != &arrangements().front() &&
        ImGui::GetItemRectMax().x + width < ImGui::GetWindowPos().x + ImGui::GetWindowWidth())
      ImGui::SameLine();
    if (ImGui::RadioButton(arrangement.title, &arrangement == &now) && &arrangement != &now) {
      State next = scene.state;
      next.arrangement = arrangement.id;
      scene.change(std::move(next), "");
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", arrangement.sentence);
  }
  now.draw(scene);
}

nlohmann::ordered_json data(const Scene& scene) { return chosen(scene.state).data(scene); }

}  // namespace

Panel layouts_panel() {
  return {"layouts", "Layouts", "What each algorithm does to the data in memory, and what belongs together", draw,
          data};
}

}  // namespace convlens::viewer
