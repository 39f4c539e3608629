#include "viewer/panels/layouts/scrubber.h"

#include <algorithm>

#include "viewer/ui/keys.h"

namespace convlens::viewer {

void draw_scrubber(Scene& scene, std::int64_t State::*member, std::int64_t most, double per_second) {
  const std::int64_t now = std::clamp<std::int64_t>(scene.state.*member, 0, most);
  std::int64_t next = now;
  bool& playing = *scene.playing;
  const auto button = [&](const char* text, const char* says) {
    const bool pressed = ImGui::Button(text);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", says);
    ImGui::SameLine();
    return pressed;
  };
  if (button("|<", "to the beginning")) next = 0, playing = false;
  if (button("<", "one step back (left arrow)") || pressed(Key::left)) next = now - 1, playing = false;
  if (button(playing ? "Pause" : "Play", "play or pause (space)") || pressed(Key::space)) {
    playing = !playing;
    if (playing && now == most) next = 0;
  }
  if (button(">", "one step on (right arrow)") || pressed(Key::right)) next = now + 1, playing = false;
  if (button(">|", "to the end")) next = most, playing = false;
  // The number stands beside the slider, where its knob does not cover it.
  ImGui::SetNextItemWidth(-ImGui::CalcTextSize((std::to_string(most) + "0").c_str()).x);
  constexpr std::int64_t kFirst = 0;
  if (ImGui::SliderScalar("##scrubber", ImGuiDataType_S64, &next, &kFirst, &most, "", ImGuiSliderFlags_NoInput))
    playing = false;
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::TextUnformatted(std::to_string(now).c_str());

  if (playing) {
    // After a pause in drawing, a frame's time is long; then playing goes on where it was.
    constexpr double kLongest = 0.1;
    double& clock = scene.kept.get<double>("scrubber");
    clock += std::min<double>(ImGui::GetIO().DeltaTime, kLongest) * per_second;
    const auto steps = static_cast<std::int64_t>(clock);
    clock -= static_cast<double>(steps);
    next += steps;
    if (next >= most) playing = false;
  }
  next = std::clamp<std::int64_t>(next, 0, most);
  if (next == scene.state.*member) return;
  State state = scene.state;
  state.*member = next;
  scene.change(std::move(state), "scrubber");
}

}  // namespace convlens::viewer
