// Five algorithms at once, each at its own stage of the same work: one cursor, one scrubber.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viewer/logic/steps.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/panels/layouts/scrubber.h"
#include "viewer/ui/fitting.h"

namespace convlens::viewer {

namespace {

constexpr double kStepsASecond = 10;

// "x > im2col matrix > y", the present tensor bright. Where the line is too short for all, the first ones are left out
// before the present one is, and what comes after it where the line ends.
void draw_way(const std::vector<Phase>& phases, std::size_t now, const std::string& run) {
  const auto title = [&](std::size_t k) { return phases[k].exhibits.front()->title; };
  const auto width = [](const std::string& name) {
    return ImGui::CalcTextSize((">" + name).c_str()).x + 2 * ImGui::GetStyle().ItemSpacing.x;
  };
  const auto add = [](const std::string& name, bool bright) {
    ImGui::SameLine();
    ImGui::TextDisabled(">");
    ImGui::SameLine();
    bright ? ImGui::TextUnformatted(name.c_str()) : ImGui::TextDisabled("%s", name.c_str());
  };
  const std::string left_out = "…";
  float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(run.c_str()).x - width(title(now));
  ImGui::TextUnformatted(run.c_str());
  if (room < 0) return;
  std::size_t first = now;
  for (; first > 0 && width(title(first - 1)) + (first > 1 ? width(left_out) : 0) <= room; --first)
    room -= width(title(first - 1));
  if (first > 0 && width(left_out) <= room) {
    room -= width(left_out);
    add(left_out, false);
  }
  for (std::size_t k = first; k <= now; ++k) add(title(k), k == now);
  for (std::size_t k = now + 1; k < phases.size() && width(title(k)) <= room; ++k) {
    room -= width(title(k));
    add(title(k), false);
  }
}

// The tensors that `row` is making now; what is made from the filter gets a quarter of the width, where that is enough.
void draw_phase(Scene& scene, int row, const std::string& run) {
  const std::vector<Phase> phases = phases_of(scene.model(), row);
  const Progress progress = progress_at(scene.state.step, phases.size());
  draw_way(phases, progress.phase, run);
  const auto& exhibits = phases[progress.phase].exhibits;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetStyle().ItemSpacing.x, least = 6 * ImGui::GetFontSize();
  float others = static_cast<float>(exhibits.size()) - 1;
  float narrow = others > 0 ? std::floor((space.x * 0.25f - gap * others) / others) : 0;
  if (narrow < least) narrow = others = 0;  // too narrow to be read: the filters are among the grids
  for (std::size_t k = 0; k < (others > 0 ? exhibits.size() : 1); ++k) {
    if (k > 0) ImGui::SameLine();
    const float width = k == 0 ? space.x - (narrow + gap) * others : narrow;
    draw_exhibit(scene, *exhibits[k], {width, space.y}, progress.made, false);
  }
}

void draw_row(Scene& scene, int row, ImVec2 size) {
  const ChosenRow& chosen = scene.model().rows()[static_cast<std::size_t>(row)];
  if (!chosen.plan) return draw_refused_row(scene, chosen, size);
  if (begin_pane(chosen.run.c_str(), size)) draw_phase(scene, row, chosen.run);
  ImGui::EndChild();
}

// Which chosen rows have no pane, in one line; why of all of them in its tooltip.
void draw_left_out(const Scene& scene) {
  std::vector<std::string> names;
  std::string all = "Each of the five families has one pane:";
  for (const LeftOut& left : left_out(scene.model())) {
    names.push_back(left.run + " (" + left.why + ")");
    all += "\n" + names.back();
  }
  if (names.empty()) return;
  const Fitted line = fitted_list("Without a pane:", names, ImGui::GetContentRegionAvail().x);
  ImGui::TextDisabled("%s", line.text.c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", all.c_str());
}

void draw(Scene& scene) {
  if (scene.model().find("x")->cells() == 0) return faint_text("N is 0: there is nothing to compute.");
  const std::vector<int> rows = rows_side_by_side(scene.model());
  draw_left_out(scene);
  if (rows.empty()) return faint_text("No row of the families direct, im2col, im2win, winograd and fft is chosen.");
  draw_scrubber(scene, &State::step, kSteps, kStepsASecond);
  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  const int panes = static_cast<int>(rows.size()) + 1;
  const int columns = std::min(panes, space.x > 1.1f * space.y ? 3 : 2), down = (panes + columns - 1) / columns;
  const ImVec2 size{std::floor((space.x - gap.x * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
                    std::floor((space.y - gap.y * static_cast<float>(down - 1)) / static_cast<float>(down))};
  draw_exhibit(scene, *scene.model().find("x"), size);
  for (int k = 1; k < panes; ++k) {
    if (k % columns != 0) ImGui::SameLine();
    draw_row(scene, rows[static_cast<std::size_t>(k) - 1], size);
  }
}

// Each row's present tensors and what is lit there, all with the step and how much of the tensor exists by then.
nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto add = [&](const nlohmann::ordered_json& what, const Exhibit& exhibit) {
    nlohmann::ordered_json lit = lit_cells(scene, exhibit);
    if (lit.empty()) lit.push_back({{"tensor", exhibit.id}});
    for (const nlohmann::ordered_json& cells : lit) {
      nlohmann::ordered_json row = what;
      row.update(cells);
      rows.push_back(std::move(row));
    }
  };
  if (scene.model().find("x")->cells() == 0) return rows;
  add({{"step", scene.state.step}, {"stage", "x"}}, *scene.model().find("x"));
  for (const int number : rows_side_by_side(scene.model())) {
    const ChosenRow& row = scene.model().rows()[static_cast<std::size_t>(number)];
    if (!row.plan) {
      rows.push_back({{"step", scene.state.step}, {"run", row.run}, {"refused", row.support.reason}});
      continue;
    }
    const std::vector<Phase> phases = phases_of(scene.model(), number);
    const Progress progress = progress_at(scene.state.step, phases.size());
    for (const Exhibit* exhibit : phases[progress.phase].exhibits) {
      const std::string stage = exhibit->role == Role::stage ? scene.model().stage(*exhibit).id : exhibit->id;
      add({{"step", scene.state.step}, {"run", row.run}, {"stage", stage}, {"made", progress.made}}, *exhibit);
    }
  }
  for (const LeftOut& left : left_out(scene.model()))
    rows.push_back({{"step", scene.state.step}, {"run", left.run}, {"left_out", left.why}});
  return rows;
}

}  // namespace

Arrangement five_arrangement() {
  return {"five", "All five", "Five algorithms side by side, each at its own stage: space plays, the arrows step", draw,
          data};
}

}  // namespace convlens::viewer
