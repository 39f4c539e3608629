#include "viewer/ui/refusal.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "viewer/logic/in_symbols.h"
#include "viewer/logic/nearest.h"
#include "viewer/logic/runs.h"

namespace convlens::viewer {

namespace {

// What was found, and of which version of the scene.
struct Found {
  int version = 0;
  std::optional<Request> nearest;
};

// What the rules know is there at once. What has to be looked for is looked for in the background, and stands until
// there is another.
Found nearest_of(Scene& scene, const Algorithm& row, const Request& request, const std::string& run,
                 const Support& support) {
  if (support.nearest) return {scene.version, support.nearest};
  if (row.missing && !row.missing().empty()) return {scene.version, {}};
  const Found* found = scene.kept.get<Later<Found>>("change for " + run)
                           .get(std::to_string(scene.version), scene.painter,
                                [&row, request, version = scene.version](const std::function<bool()>& stop) {
                                  return Found{version, nearest_request(row, request, stop)};
                                });
  return found == nullptr ? Found{} : *found;
}

// Whether a text of the state names this run, in whatever words: "im2win.tc:paper" is a list of options.
bool names(const std::string& text, const Algorithm& row, const std::string& run) {
  try {
    const Run named = parse_run(text);
    return named.algorithm == &row && run_name(row, named.options) == run;
  } catch (const BadInput&) {
    return false;
  }
}

// Makes `nearest` the request; a layer keeps its name where only the batch differs.
void take(Scene& scene, const Request& nearest, const Algorithm& row, const std::string& run) {
  State next = scene.state;
  next.spec = nearest.problem.spec();
  ConvSpec before = scene.state.spec;
  before.n = next.spec.n;
  if (next.spec != before) next.layer.clear();
  next.dtype = nearest.dtype;
  next.layouts = nearest.layouts;
  const auto chosen = std::ranges::find_if(next.runs, [&](const std::string& text) { return names(text, row, run); });
  const std::string with = run_name(row, nearest.options);
  if (chosen == next.runs.end())
    next.runs.push_back(with);
  else
    *chosen = with;
  next.runs = distinct_runs(next.runs);
  scene.change(std::move(next), "");
}

}  // namespace

void draw_refusal(Scene& scene, const Algorithm& row, const std::string& run, const Support& support) {
  faint_text(in_symbols(support.reason));
  offer_nearest(scene, row, run, support);
}

void offer_nearest(Scene& scene, const Algorithm& row, const std::string& run, const Support& support) {
  if (!scene.model().problem()) return;
  const Request request =
      complete(row, {*scene.model().problem(), scene.state.dtype, scene.state.layouts, parse_run(run).options});
  const Found found = nearest_of(scene, row, request, run, support);
  if (!found.nearest) return;
  const bool pressed = ImGui::SmallButton(("make it so##" + run).c_str());
  if (ImGui::IsItemHovered() && found.version == scene.version)
    ImGui::SetTooltip("%s", in_symbols(change_text(request, *found.nearest)).c_str());
  if (!pressed) return;
  // What the background has found may be of a layer that has changed since.
  const std::optional<Request> nearest = found.version == scene.version ? found.nearest : nearest_request(row, request);
  if (nearest) take(scene, *nearest, row, run);
}

}  // namespace convlens::viewer
