#include "viewer/panels/layouts/layouts.h"

#include "viewer/panels/panels.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// The arrangements, one line each.
const std::vector<Arrangement>& arrangements() {
  static const std::vector<Arrangement> all{
      grids_arrangement(),
  };
  return all;
}

void draw(Scene& scene) {
  const Arrangement* chosen = &arrangements().front();
  for (const Arrangement& arrangement : arrangements()) {
    const bool now = scene.state.arrangement == arrangement.id;
    if (now) chosen = &arrangement;
    if (&arrangement != &arrangements().front()) ImGui::SameLine();
    if (ImGui::RadioButton(arrangement.title, now) && !now) {
      State next = scene.state;
      next.arrangement = arrangement.id;
      scene.change(std::move(next), "");
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", arrangement.sentence);
  }
  chosen->draw(scene);
}

// What is lit, one row a box.
nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [id, boxes] : scene.links.cells) {
    const Exhibit* exhibit = scene.model().find(id);
    if (exhibit == nullptr) continue;
    for (const Box& box : boxes) {
      nlohmann::ordered_json row{{"tensor", id}};
      for (std::size_t axis = 0; axis < exhibit->axes.size(); ++axis) {
        row[exhibit->axes[axis].name] = box.first[axis];
        row[exhibit->axes[axis].name + "_count"] = box.extent[axis];
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

Panel layouts_panel() {
  return {"layouts", "Layouts", "What each algorithm does to the data in memory, and what belongs together", draw,
          data};
}

}  // namespace convlens::viewer
