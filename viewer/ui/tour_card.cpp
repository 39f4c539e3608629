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

// For how many frames the present step has been on show.
struct Placed {
  std::int64_t step = 0;
  int frames = 0;
};

void go(Scene& scene, std::int64_t step) { scene.change(at_tour_step(scene.state, step), ""); }

}  // namespace

void draw_tour_card(Scene& scene) {
  const auto steps = static_cast<std::int64_t>(tour().size());
  const std::int64_t now = scene.state.tour;
  if (tour_step(scene.state) == nullptr) return;
  const TourStep& step = *tour_step(scene.state);
  if (const ImGuiWindow* shown = child_window(step.points_at)) {
    const float thick = 2 * scene.scale;
    ImGui::GetForegroundDrawList()->AddRect(shown->Pos, {shown->Pos.x + shown->Size.x, shown->Pos.y + shown->Size.y},
                                            palette().lit, 4, 0, thick);
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float width = std::min(420 * scene.scale, viewport.WorkSize.x * 0.6f), margin = 16 * scene.scale;
  const ImGuiWindow* status = child_window("status");  // which the text may speak of
  const float bottom = status == nullptr ? viewport.WorkPos.y + viewport.WorkSize.y : status->Pos.y;
  const ImVec2 corner{viewport.WorkPos.x + viewport.WorkSize.x - margin, bottom - margin};
  // In the corner when a step begins, until its size is known; from then on where a hand has put it.
  constexpr int kSettle = 3;
  auto& placed = scene.kept.get<Placed>("tour card");
  placed = placed.step == now ? Placed{now, placed.frames + 1} : Placed{now, 0};
  ImGui::SetNextWindowPos(corner, placed.frames < kSettle ? ImGuiCond_Always : ImGuiCond_Appearing, {1, 1});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetColorU32(ImGuiCol_PopupBg));
  ImGui::PushStyleColor(ImGuiCol_Border, palette().lit);
  constexpr auto kCard = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoScrollbar;
  if (ImGui::Begin("Tour", nullptr, kCard)) {
    ImGui::Text("%lld of %lld  %s", static_cast<long long>(now), static_cast<long long>(steps), step.title);
    ImGui::Separator();
    ImGui::TextWrapped("%s", step.text);
    if (now > 1) {
      if (ImGui::Button("back")) go(scene, now - 1);
      ImGui::SameLine();
    }
    if (now < steps) {
      if (ImGui::Button("next")) go(scene, now + 1);
      ImGui::SameLine();
    }
    if (ImGui::Button(now < steps ? "end the tour" : "done")) go(scene, 0);
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace convlens::viewer
