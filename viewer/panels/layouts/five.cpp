// Five algorithms at once, each at its own stage of the same work: one cursor, one scrubber.
#include <algorithm>
#include <cmath>

#include "viewer/logic/steps.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/panels/layouts/scrubber.h"

namespace convlens::viewer {

namespace {

constexpr double kStepsASecond = 10;

// "x > im2col matrix > y", the present tensor bright.
void draw_way(const std::vector<Phase>& phases, std::size_t now, const std::string& run) {
  ImGui::TextUnformatted(run.c_str());
  std::string way;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    way = phases[k].exhibits.front()->title;
    if (ImGui::GetItemRectMax().x + ImGui::CalcTextSize(("> " + way).c_str()).x + 3 * ImGui::GetStyle().ItemSpacing.x >
        ImGui::GetWindowPos().x + ImGui::GetWindowWidth())
      return;
    ImGui::SameLine();
    ImGui::TextDisabled(">");
    ImGui::SameLine();
    if (k == now)
      ImGui::TextUnformatted(way.c_str());
    else
      ImGui::TextDisabled("%s", way.c_str());
  }
}

void draw_row(Scene& scene, const char* family, ImVec2 size) {
  if (begin_pane(family, size)) {
    const int row = row_of_family(scene.model(), family);
    if (row < 0) {
      ImGui::TextWrapped("%s: no row of this family is chosen that can compute this layer. Choose one on the left.",
                         family);
    } else {
      const std::vector<Phase> phases = phases_of(scene.model(), row);
      const Progress progress = progress_at(scene.state.step, phases.size());
      draw_way(phases, progress.phase, scene.model().rows()[static_cast<std::size_t>(row)].run);
      // What is made from the filter gets a quarter of the width.
      const auto& exhibits = phases[progress.phase].exhibits;
      const ImVec2 space = ImGui::GetContentRegionAvail();
      const float gap = ImGui::GetStyle().ItemSpacing.x, others = static_cast<float>(exhibits.size()) - 1;
      const float narrow = others > 0 ? std::floor((space.x * 0.28f - gap * others) / others) : 0;
      for (std::size_t k = 0; k < exhibits.size(); ++k) {
        if (k > 0) ImGui::SameLine();
        const float width = k == 0 ? space.x - (narrow + gap) * others : narrow;
        draw_exhibit(scene, *exhibits[k], {width, space.y}, progress.made);
      }
    }
  }
  ImGui::EndChild();
}

void draw(Scene& scene) {
  draw_scrubber(scene, &State::step, kSteps, kStepsASecond);
  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  constexpr int kPanes = static_cast<int>(kFamilies.size()) + 1;
  const int columns = space.x > 1.1f * space.y ? 3 : 2, rows = kPanes / columns;
  const ImVec2 size{std::floor((space.x - gap.x * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
                    std::floor((space.y - gap.y * static_cast<float>(rows - 1)) / static_cast<float>(rows))};
  if (scene.model().find("x")->cells() == 0) return ImGui::TextDisabled("N is 0: there is nothing to compute.");
  draw_exhibit(scene, *scene.model().find("x"), size);
  for (int k = 1; k < kPanes; ++k) {
    if (k % columns != 0) ImGui::SameLine();
    draw_row(scene, kFamilies[static_cast<std::size_t>(k) - 1], size);
  }
}

}  // namespace

Arrangement five_arrangement() {
  return {"five", "All five", "Five algorithms side by side, each at its own stage: space plays, the arrows step", draw,
          lit_boxes};
}

}  // namespace convlens::viewer
