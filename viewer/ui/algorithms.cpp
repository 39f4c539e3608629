// The list of algorithms on the left: which are chosen, with which options; what keeps a row from running, and a button
// for the nearest change with which it can.
#include <algorithm>
#include <map>

#include "algorithms/interface/registry.h"
#include "viewer/ui/options.h"
#include "viewer/ui/refusal.h"
#include "viewer/ui/sidebar.h"

namespace convlens::viewer {

namespace {

bool is_run_of(const std::string& run, const Algorithm& row) { return run.substr(0, run.find(':')) == row.id; }

// The numbers of that row's runs in the state.
std::vector<std::size_t> runs_of(const State& state, const Algorithm& row) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < state.runs.size(); ++k)
    if (is_run_of(state.runs[k], row)) numbers.push_back(k);
  return numbers;
}

void choose(Scene& scene, const Algorithm& row, bool on) {
  State next = scene.state;
  if (on)
    next.runs.push_back(row.id);
  else
    std::erase_if(next.runs, [&](const std::string& run) { return is_run_of(run, row); });
  scene.change(std::move(next), "");
}

// What each row that is not chosen says to the layer, with its options as they are by default.
using Supports = std::map<const Algorithm*, Support>;
const Supports* supports_of_others(Scene& scene) {
  if (!scene.model().problem()) return nullptr;
  return scene.kept.get<Later<Supports>>("supports")
      .get(std::to_string(scene.version), scene.painter, [model = scene.shared_model, state = scene.state] {
        Supports all;
        for (const Algorithm* row : algorithms())
          all[row] = row->supports(complete(*row, {*model->problem(), state.dtype, state.layouts, {}}));
        return all;
      });
}

// What the model makes of the run with that number in the state; null where it knows no such run, or no layer.
const ChosenRow* chosen_row(const Scene& scene, std::size_t number) {
  const std::vector<std::string>&runs = scene.state.runs, &unknown = scene.model().unknown_runs();
  const auto known = [&](const std::string& run) { return std::ranges::find(unknown, run) == unknown.end(); };
  if (!scene.model().problem() || !known(runs[number])) return nullptr;
  const auto before = std::ranges::count_if(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(number), known);
  return &scene.model().rows()[static_cast<std::size_t>(before)];
}

// A chosen run: its name, where the row has several, what stands against it, and its options.
void draw_run(Scene& scene, const Algorithm& row, std::size_t number, bool several) {
  if (several) faint_text(scene.state.runs[number]);
  const ChosenRow* chosen = chosen_row(scene, number);
  if (chosen != nullptr && !chosen->support) draw_refusal(scene, row, chosen->run, chosen->support);
  draw_options(scene, row, number);
}

}  // namespace

void draw_algorithms(Scene& scene) {
  heading("ALGORITHMS");
  for (const std::string& run : scene.model().unknown_runs())
    wrong_text(run + ": no row of this name and with these options");
  const Supports* others = supports_of_others(scene);
  for (const Algorithm* row : algorithms()) {
    const std::vector<std::size_t> runs = runs_of(scene.state, *row);
    bool on = !runs.empty();
    if (ImGui::Checkbox(row->id.c_str(), &on)) choose(scene, *row, on);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s. %s\n%s", row->title.c_str(), row->sentence.c_str(), row->source.c_str());
    if (runs.empty() && others != nullptr && !others->at(row)) draw_refusal(scene, *row, row->id, others->at(row));
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (k > 0) ImGui::PushID(static_cast<int>(k));
      draw_run(scene, *row, runs[k], runs.size() > 1);
      if (k > 0) ImGui::PopID();
    }
  }
}

}  // namespace convlens::viewer
