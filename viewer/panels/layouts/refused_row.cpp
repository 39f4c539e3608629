// The pane of a chosen row that cannot run.
#include <algorithm>

#include "viewer/logic/in_symbols.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/fitting.h"
#include "viewer/ui/refusal.h"

namespace convlens::viewer {

// The button comes first: a pane may be too low for the sentence, which the wheel scrolls, and the tooltip has whole.
void draw_refused_row(Scene& scene, const ChosenRow& row, ImVec2 size) {
  if (ImGui::BeginChild(("refused " + row.run).c_str(), {std::max(size.x, 1.0f), std::max(size.y, 1.0f)}, true,
                        ImGuiWindowFlags_NoScrollbar)) {
    ImGui::TextUnformatted(fitted(row.run, ImGui::GetContentRegionAvail().x).text.c_str());
    offer_nearest(scene, *row.algorithm, row.run, row.support);
    faint_text("Cannot run: " + in_symbols(row.support.reason));
    if (ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered())
      ImGui::SetTooltip("%s cannot run:\n%s", row.run.c_str(), in_symbols(row.support.reason).c_str());
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
