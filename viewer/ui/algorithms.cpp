// The list of algorithms on the left: which are chosen, with which options; what keeps a row from running, and a button
// for the nearest change with which it can.
#include <algorithm>
#include <map>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/parse.h"
#include "viewer/ui/sidebar.h"

namespace convlens::viewer {

namespace {

bool is_run_of(const std::string& run, const Algorithm& row) { return run.substr(0, run.find(':')) == row.id; }

// The chosen run of that row, or "".
std::string run_of(const State& state, const Algorithm& row) {
  for (const std::string& run : state.runs)
    if (is_run_of(run, row)) return run;
  return "";
}

void set_run(Scene& scene, const Algorithm& row, const std::string& run) {
  State next = scene.state;
  const auto is_row = [&](const std::string& r) { return is_run_of(r, row); };
  const auto found = std::ranges::find_if(next.runs, is_row);
  if (run.empty())
    std::erase_if(next.runs, is_row);
  else if (found == next.runs.end())
    next.runs.push_back(run);
  else
    *found = run;
  scene.change(std::move(next), "");
}

// Makes `nearest` the request.
void take_nearest(Scene& scene, const Request& nearest, const Algorithm& row) {
  State next = scene.state;
  if (next.spec != nearest.problem.spec()) next.layer.clear();
  next.spec = nearest.problem.spec();
  next.dtype = nearest.dtype;
  next.layouts = nearest.layouts;
  const auto run = std::ranges::find_if(next.runs, [&](const std::string& r) { return is_run_of(r, row); });
  if (run == next.runs.end())
    next.runs.push_back(run_name(row, nearest.options));
  else
    *run = run_name(row, nearest.options);
  scene.change(std::move(next), "");
}

// That change, as a button.
void offer_nearest(Scene& scene, const Request& nearest, const Algorithm& row) {
  const bool pressed = ImGui::SmallButton(("make it so##" + row.id).c_str());
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s, %s", to_text(nearest.problem.spec()).c_str(), std::string(name(nearest.dtype)).c_str());
  if (!pressed) return;
  // What a row that is not chosen said is of the background, and may be of a layer that has changed since.
  const std::string chosen = run_of(scene.state, row);
  const OptionSet options = chosen.empty() ? OptionSet{} : parse_run(chosen).options;
  const Support now =
      row.supports(complete(row, {*scene.model().problem(), scene.state.dtype, scene.state.layouts, options}));
  if (!now.nearest) return;
  take_nearest(scene, *now.nearest, row);
}

// Why a row cannot run, and the button that makes the nearest change with which it can.
void draw_refusal(Scene& scene, const Support& support, const Algorithm& row) {
  faint_text(support.reason);
  if (support.nearest) offer_nearest(scene, *support.nearest, row);
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

void draw_options(Scene& scene, const Algorithm& row, const std::string& run) {
  OptionSet chosen;
  try {
    chosen = parse_run(run).options;
  } catch (const BadInput& error) {
    return wrong_text(error.what());
  }
  ImGui::Indent();
  for (const Option& option : row.options) {
    if (option.values.empty()) continue;
    ImGui::PushID((row.id + option.id).c_str());
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.45f);
    if (ImGui::BeginCombo(option.title.c_str(), chosen[option.id].c_str())) {
      for (const std::string& value : option.values)
        if (ImGui::Selectable(value.c_str(), value == chosen[option.id])) {
          OptionSet next = chosen;
          next.set(option.id, value);
          set_run(scene, row, run_name(row, next));
        }
      ImGui::EndCombo();
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", option.sentence.c_str());
    ImGui::PopID();
  }
  ImGui::Unindent();
}

}  // namespace

void draw_algorithms(Scene& scene) {
  heading("ALGORITHMS");
  for (const std::string& run : scene.model().unknown_runs())
    wrong_text(run + ": no row of this name and with these options");
  const Supports* others = supports_of_others(scene);
  for (const Algorithm* row : algorithms()) {
    const std::string run = run_of(scene.state, *row);
    bool on = !run.empty();
    if (ImGui::Checkbox(row->id.c_str(), &on)) set_run(scene, *row, on ? row->id : "");
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s. %s\n%s", row->title.c_str(), row->sentence.c_str(), row->source.c_str());
    if (run.empty()) {
      if (others != nullptr && !others->at(row)) draw_refusal(scene, others->at(row), *row);
      continue;
    }
    for (const ChosenRow& chosen : scene.model().rows())
      if (chosen.algorithm == row && !chosen.support) draw_refusal(scene, chosen.support, *row);
    draw_options(scene, *row, run);
  }
}

}  // namespace convlens::viewer
