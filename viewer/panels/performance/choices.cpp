// What the Performance panel draws, how it times, and what a sweep varies: radio buttons, or, where there is little
// room, lists.
#include <algorithm>
#include <span>

#include "viewer/panels/performance/performance.h"

namespace convlens::viewer {

namespace {

struct Choice {
  const char *id, *title, *sentence;
};
constexpr Choice kCharts[]{
    {"live", "Live", "the line of the live run, what each option is worth, and the peers"},
    {"roofline", "Roofline", "every row of the unit under what the machine can do at most"},
    {"sweep", "Sweep", "one size varied, a curve a row"},
};
constexpr Choice kTimes[]{
    {"call", "whole call", "all that a caller pays: transforms of input, filter and output included"},
    {"kernel", "kernel alone", "what follows packing and transforming x and w"},
    {"cold", "cold caches", "a whole call, with nothing of the layer in the caches"},
};
constexpr Choice kSwept[]{{"n", "N", "the batch size"},
                          {"c_i", "C_i", "channels of the input"},
                          {"c_o", "C_o", "channels of the output"},
                          {"size", "H x W", "of the input"},
                          {"filter", "K", "filter height and width, padded by half of it"},
                          {"stride", "stride", "down and across"}};

void choose(Scene& scene, const Choice& choice, std::string PerformanceState::*member) {
  State next = scene.state;
  next.performance.*member = choice.id;
  scene.change(std::move(next), "");
}

// As many on a line as fit, after what stands there when `goes_on`.
void draw_radio_buttons(Scene& scene, std::span<const Choice> choices, std::string PerformanceState::*member,
                        bool goes_on) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (const Choice& choice : choices) {
    const float width = ImGui::CalcTextSize(choice.title).x + ImGui::GetFrameHeight() + 2 * style.ItemSpacing.x;
    const bool first = &choice == &choices.front();
    if ((!first || goes_on) && ImGui::GetItemRectMax().x + width + (first ? 2 : 1) * style.ItemSpacing.x < right)
      ImGui::SameLine(0, (first ? 4 : 1) * style.ItemSpacing.x);
    if (ImGui::RadioButton(choice.title, scene.state.performance.*member == choice.id)) choose(scene, choice, member);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", choice.sentence);
  }
}

void draw_list(Scene& scene, const char* id, std::span<const Choice> choices, std::string PerformanceState::*member,
               bool goes_on) {
  const auto now = std::ranges::find(choices, scene.state.performance.*member, &Choice::id);
  const float width = width_of_list({now->title});
  if (goes_on) flow(width);
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo(id, now->title)) return;
  for (const Choice& choice : choices) {
    if (ImGui::Selectable(choice.title, &choice == &*now)) choose(scene, choice, member);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", choice.sentence);
  }
  ImGui::EndCombo();
}

}  // namespace

void flow(float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width < right) ImGui::SameLine();
}

float width_of_list(const std::vector<std::string>& texts) {
  float width = 0;
  for (const std::string& text : texts) width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
  return width + ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().FramePadding.x;
}

void draw_choices(Scene& scene, bool little_room) {
  const bool sweep = scene.state.performance.chart == "sweep";
  if (little_room) {
    draw_list(scene, "##chart", kCharts, &PerformanceState::chart, false);
    draw_list(scene, "##timed", kTimes, &PerformanceState::timed, true);
    if (sweep) draw_list(scene, "##swept", kSwept, &PerformanceState::swept, true);
    return;
  }
  draw_radio_buttons(scene, kCharts, &PerformanceState::chart, false);
  draw_radio_buttons(scene, kTimes, &PerformanceState::timed, true);
  if (sweep) draw_radio_buttons(scene, kSwept, &PerformanceState::swept, false);
}

const char* swept_title(const std::string& swept) {
  const auto found = std::ranges::find(kSwept, swept, &Choice::id);
  return found == std::end(kSwept) ? "" : found->title;
}

}  // namespace convlens::viewer
