// The Memory panel: what each chosen algorithm needs, buffer by buffer, and how many images fit.
#include <algorithm>
#include <cmath>
#include <set>

#include "viewer/logic/memory.h"
#include "viewer/panels/panels.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

std::string gib(std::int64_t bytes) { return number_text(static_cast<double>(bytes) / (1 << 30)) + " GiB"; }

ImU32 colour_of_part(const std::string& name) {
  std::size_t hash = 0;
  for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
  return palette().series[hash % 8];
}

void draw_bar(const MemoryBar& bar, std::int64_t most, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight() * 1.4f;
  float x = first.x;
  for (const MemoryPart& part : bar.parts) {
    const float w = width * static_cast<float>(static_cast<double>(part.bytes) / static_cast<double>(most));
    const ImVec2 a{x, first.y}, b{x + std::max(w, 1.0f), first.y + height};
    list.AddRectFilled(a, b, colour_of_part(part.name));
    if (ImGui::IsMouseHoveringRect(a, b))
      ImGui::SetTooltip("%s\n%s\n%lld B", part.name.c_str(), part.formula.c_str(), static_cast<long long>(part.bytes));
    x += w;
  }
  ImGui::Dummy({width, height});
}

void draw_bars(Scene& scene, const std::vector<MemoryBar>& bars) {
  std::int64_t most = 1;
  for (const MemoryBar& bar : bars) most = std::max(most, bar.total());
  const float width = ImGui::GetContentRegionAvail().x;
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const MemoryBar& bar = bars[k];
    ImGui::TextUnformatted(bar.run.c_str());
    ImGui::SameLine();
    if (!bar.refused.empty()) {
      ImGui::TextDisabled("%s", bar.refused.c_str());
      continue;
    }
    ImGui::TextDisabled("tensors %s + workspace %s; at most N = %lld in %s", gib(bar.tensors).c_str(),
                        gib(bar.workspace).c_str(),
                        static_cast<long long>(largest_batch(scene.model().rows()[k], scene.state.memory_limit)),
                        gib(scene.state.memory_limit).c_str());
    draw_bar(bar, most, width);
    for (const MemoryPart& part : bar.parts) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float side = ImGui::GetTextLineHeight() * 0.7f;
      ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.2f}, {at.x + side, at.y + side * 1.2f},
                                                colour_of_part(part.name));
      ImGui::Dummy({side, side});
      ImGui::SameLine();
      ImGui::TextDisabled("%s  %s  %lld B", part.name.c_str(), part.formula.c_str(),
                          static_cast<long long>(part.bytes));
    }
  }
}

void draw_controls(Scene& scene) {
  State next = scene.state;
  constexpr std::int64_t kLeast = 1, kMost = 512;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.3f);
  if (ImGui::SliderScalar("N", ImGuiDataType_S64, &next.spec.n, &kLeast, &kMost)) scene.change(next, "n");
  ImGui::SameLine();
  double limit = static_cast<double>(next.memory_limit) / (1 << 30);
  constexpr double kLeastGib = 0.25, kMostGib = 192;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.4f);
  if (ImGui::SliderScalar("memory, GiB", ImGuiDataType_Double, &limit, &kLeastGib, &kMostGib, "%.2f",
                          ImGuiSliderFlags_Logarithmic)) {
    next.memory_limit = std::llround(limit * (1 << 30));
    scene.change(next, "memory_limit");
  }
}

// Squares whose areas are 1 : ρ : ρ², beside what the layer's sizes give.
void draw_law(const ConvProblem& problem) {
  const CopyLaw law = copy_law(problem);
  ImGui::Spacing();
  ImGui::Text("Input copies, direct : im2win : im2col = 1 : %s : %s", number_text(law.im2win).c_str(),
              number_text(law.im2col).c_str());
  ImGui::TextDisabled(law.square ? "the law 1 : rho : rho^2 with rho = H_o H_f / H_i = %s gives 1 : %s : %s"
                                 : "the law 1 : rho : rho^2 (rho = %s; %s : %s) is for square layers without padding",
                      number_text(law.rho).c_str(), number_text(law.rho).c_str(),
                      number_text(law.rho * law.rho).c_str());
  const float unit = 42 * ImGui::GetFontSize() / 15;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float largest = unit * static_cast<float>(std::sqrt(std::max(law.im2col, law.im2win)));
  for (const double area : {1.0, law.im2win, law.im2col}) {
    const float side = unit * static_cast<float>(std::sqrt(area));
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + largest - side}, {at.x + side, at.y + largest},
                                              palette().series[area == 1.0          ? 0
                                                               : area == law.im2win ? 2
                                                                                    : 1]);
    at.x += side + unit / 3;
  }
  ImGui::Dummy({at.x, largest});
}

void draw(Scene& scene) {
  ImGui::BeginChild("memory");
  draw_controls(scene);
  draw_bars(scene, memory_bars(scene.model()));
  draw_law(*scene.model().problem());
  ImGui::EndChild();
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const MemoryBar& bar : memory_bars(scene.model()))
    for (const MemoryPart& part : bar.parts)
      rows.push_back({{"run", bar.run}, {"buffer", part.name}, {"formula", part.formula}, {"bytes", part.bytes}});
  return rows;
}

}  // namespace

Panel memory_panel() {
  return {"memory", "Memory", "What each algorithm needs, buffer by buffer, and how many images fit", draw, data};
}

}  // namespace convlens::viewer
