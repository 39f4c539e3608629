// All tensors side by side, and what stands against a row that has none: as many columns as keep the panes about
// square.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viewer/panels/layouts/layouts.h"

namespace convlens::viewer {

namespace {

constexpr const char* kTensors = "Tensors ...";

bool hidden(const State& state, const std::string& id) {
  return std::ranges::find(state.hidden, id) != state.hidden.end();
}

void choose_tensors(Scene& scene) {
  if (ImGui::Button(kTensors)) ImGui::OpenPopup("tensors");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Which tensors are shown");
  if (!ImGui::BeginPopup("tensors")) return;
  for (const Exhibit& exhibit : scene.model().exhibits()) {
    bool shown = !hidden(scene.state, exhibit.id);
    if (!ImGui::Checkbox((exhibit.title + "##" + exhibit.id).c_str(), &shown)) continue;
    State next = scene.state;
    if (shown)
      std::erase(next.hidden, exhibit.id);
    else
      next.hidden.push_back(exhibit.id);
    scene.change(std::move(next), "");
  }
  if (ImGui::Button("All")) {
    State next = scene.state;
    next.hidden.clear();
    scene.change(std::move(next), "");
  }
  ImGui::EndPopup();
}

// A tensor, or a row that has none because it cannot run.
struct Pane {
  const Exhibit* exhibit = nullptr;
  const ChosenRow* refused = nullptr;
};

// Refused rows stand where their tensors would: behind those of the rows before.
std::vector<Pane> panes(const Scene& scene) {
  const std::vector<ChosenRow>& rows = scene.model().rows();
  std::vector<Pane> all;
  std::size_t next = 0;
  const auto add_refused = [&](std::size_t end) {
    for (; next < end; ++next)
      if (!rows[next].plan) all.push_back({nullptr, &rows[next]});
  };
  for (const Exhibit& exhibit : scene.model().exhibits()) {
    if (exhibit.role == Role::stage) add_refused(static_cast<std::size_t>(exhibit.row));
    if (exhibit.role == Role::output) add_refused(rows.size());
    if (!hidden(scene.state, exhibit.id) && exhibit.cells() > 0) all.push_back({&exhibit});
  }
  return all;
}

void draw(Scene& scene) {
  const float button = ImGui::CalcTextSize(kTensors).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth();
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + button <= right) ImGui::SameLine();
  choose_tensors(scene);
  const std::vector<Pane> shown = panes(scene);
  if (shown.empty()) return faint_text("No tensor has a cell: N is 0, or all are hidden.");

  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  const auto count = static_cast<int>(shown.size());
  const int columns = best_columns(count, space);
  const auto across = static_cast<float>(columns), down = static_cast<float>((count + columns - 1) / columns);
  const ImVec2 size{std::floor((space.x - gap.x * (across - 1)) / across),
                    std::floor((space.y - gap.y * (down - 1)) / down)};
  for (int k = 0; k < count; ++k) {
    if (k % columns != 0) ImGui::SameLine();
    const Pane& pane = shown[static_cast<std::size_t>(k)];
    if (pane.exhibit != nullptr)
      draw_exhibit(scene, *pane.exhibit, size);
    else
      draw_refused_row(scene, *pane.refused, size);
  }
}

// What is lit in the tensors, and what rows without any say.
nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = lit_cells(scene);
  for (const ChosenRow& row : scene.model().rows())
    if (!row.plan) rows.push_back({{"run", row.run}, {"refused", row.support.reason}});
  return rows;
}

}  // namespace

int best_columns(int count, ImVec2 space) {
  int best = 1;
  float least = 1e30f;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const float ratio = (space.x / static_cast<float>(columns)) / (space.y / static_cast<float>(rows));
    const float empty = static_cast<float>(rows * columns) / static_cast<float>(count);
    const float away = std::abs(std::log(ratio / 1.4f)) + std::log(empty);
    if (away < least) least = away, best = columns;
  }
  return best;
}

Arrangement grids_arrangement() {
  return {"grids", "Grids", "All tensors of the chosen algorithms, side by side", draw, data};
}

}  // namespace convlens::viewer
