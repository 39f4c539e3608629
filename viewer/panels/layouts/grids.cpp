// All tensors side by side: as many columns as keep the panes about square.
#include <algorithm>
#include <cmath>

#include "viewer/panels/layouts/layouts.h"

namespace convlens::viewer {

namespace {

bool hidden(const State& state, const Exhibit& exhibit) {
  return std::ranges::find(state.hidden, exhibit.id) != state.hidden.end();
}

void draw(Scene& scene) {
  std::vector<const Exhibit*> shown;
  for (const Exhibit& exhibit : scene.model().exhibits())
    if (!hidden(scene.state, exhibit) && exhibit.cells() > 0) shown.push_back(&exhibit);
  if (shown.empty()) return ImGui::TextDisabled("No tensor has a cell: N is 0, or all are hidden.");

  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  const auto count = static_cast<float>(shown.size());
  const float columns = std::clamp(std::round(std::sqrt(count * space.x / space.y)), 1.0f, count);
  const float rows = std::ceil(count / columns);
  const ImVec2 size{(space.x - gap.x * (columns - 1)) / columns, (space.y - gap.y * (rows - 1)) / rows};
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (k % static_cast<std::size_t>(columns) != 0) ImGui::SameLine();
    draw_exhibit(scene, *shown[k], size);
  }
}

}  // namespace

Arrangement grids_arrangement() {
  return {"grids", "Grids", "All tensors of the chosen algorithms, side by side", draw};
}

}  // namespace convlens::viewer
