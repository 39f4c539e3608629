#include "viewer/ui/tour_card.h"

#include <imgui/imgui_internal.h>

#include <algorithm>

#include "viewer/logic/tour.h"

namespace convlens::viewer {

namespace {

// The window that was begun as a child with this name, as in "Convlens/centre_1234ABCD/x_1234ABCD"; "/im2col" is the
// end of a tensor's name, "im2col.ref/im2col".
const ImGuiWindow* child_window(const std::string& name) {
  constexpr std::size_t kHash = 9;  // "_1234ABCD"
  const std::string end = name.front() == '/' ? name : "/" + name;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string whole = window->Name;
    if (window->WasActive && whole.size() > kHash && whole.substr(0, whole.size() - kHash).ends_with(end))
      return window;
  }
  return nullptr;
}

void draw_buttons(Scene& scene, std::int64_t now, std::int64_t steps) {
  const auto go = [&](const char* text, std::int64_t step) {
    if (ImGui::Button(text)) scene.change(at_tour_step(scene.state, step), "");
  };
  if (now > 1) go("back", now - 1), ImGui::SameLine();
  if (now < steps) go("next", now + 1), ImGui::SameLine();
  go(now < steps ? "end the tour" : "done", 0);
}

}  // namespace

void draw_tour_card(Scene& scene) {
  const TourStep* step = tour_step(scene.state);
  if (step == nullptr) return;
  const auto steps = static_cast<std::int64_t>(tour().size());
  const std::int64_t now = scene.state.tour;
  const ImGuiStyle& style = ImGui::GetStyle();
  // Lines that are easy to read are not as wide as a screen.
  const float width = std::min(ImGui::GetContentRegionAvail().x - 2 * style.WindowPadding.x, 1000 * scene.scale);
  const float text = ImGui::CalcTextSize(step->text, nullptr, false, width).y;
  const float height = 2 * style.WindowPadding.y + ImGui::GetTextLineHeightWithSpacing() + text + style.ItemSpacing.y +
                       ImGui::GetFrameHeight();
  ImGui::PushStyleColor(ImGuiCol_Border, palette().lit);
  constexpr auto kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::BeginChild("tour", {0, height}, true, kStill)) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().lit);
    ImGui::Text("%lld of %lld  %s", static_cast<long long>(now), static_cast<long long>(steps), step->title);
    ImGui::PopStyleColor();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    ImGui::TextUnformatted(step->text);
    ImGui::PopTextWrapPos();
    draw_buttons(scene, now, steps);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void draw_tour_outline(const Scene& scene) {
  const TourStep* step = tour_step(scene.state);
  const ImGuiWindow* shown = step == nullptr ? nullptr : child_window(step->points_at);
  if (shown == nullptr) return;
  // Around it, in the gap to its neighbours: what stands at its edge must not be covered.
  const float out = 3 * scene.scale;
  const ImRect around = shown->Rect();
  ImGui::GetForegroundDrawList()->AddRect({around.Min.x - out, around.Min.y - out},
                                          {around.Max.x + out, around.Max.y + out}, palette().lit, 4, 0,
                                          2 * scene.scale);
}

}  // namespace convlens::viewer
