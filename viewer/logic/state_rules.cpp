#include "viewer/logic/state_rules.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/links.h"
#include "viewer/logic/schedule.h"

namespace convlens::viewer {

namespace {

// The run that a panel in front shows.
std::string wrong_run(const std::string& field, const std::string& run) {
  try {
    if (!run.empty()) parse_run(run);
    return "";
  } catch (const BadInput& error) {
    return field + ": " + run + ", must be a row of `convlens list algorithms` with options that it has";
  }
}

// What the Kernel panel would show in the place of something that there is not.
std::string wrong_kernel(const State& state, const ConvProblem& problem) {
  if (const std::string wrong = wrong_run("kernel.run", state.kernel.run); !wrong.empty()) return wrong;
  const KernelSheet sheet = kernel_sheet(state, problem);
  if (!sheet.refused.empty()) return "";  // the panel says it
  const KernelState& k = state.kernel;
  if (k.step != 0 && k.step != sheet.step)
    return "kernel.step: " + std::to_string(k.step) + ", must be a step of " + sheet.run + " that is a kernel";
  if (!k.file.empty() && k.file != sheet.file) return "kernel.file: " + k.file + ", must be a text of " + sheet.run;
  if (!k.architecture.empty() && k.architecture != sheet.architecture)
    return "kernel.architecture: " + k.architecture + ", must be one that " + sheet.run + " can be compiled for";
  return "";
}

}  // namespace

std::string wrong_layer(const State& state) {
  if (state.layer.empty()) return "";
  const auto layer = std::ranges::find(named_layers(), state.layer, &NamedLayer::name);
  if (layer == named_layers().end()) return "layer: " + state.layer + ", must be a row of `convlens list layers`";
  ConvSpec named = layer->spec;
  named.n = state.spec.n;
  return named == state.spec ? "" : "layer: " + state.layer + ", must be \"\" for sizes that are not its own";
}

std::optional<std::int64_t> scheduled_blocks(const State& state, const Model& model) {
  const std::vector<Schedule> all = schedules(model);
  const auto schedule = std::ranges::find_if(all, [](const Schedule& s) { return s.launch != nullptr; });
  if (schedule == all.end()) return std::nullopt;
  const Links links = links_of(model, model.valid(state.cursor));
  const auto y = links.cells.find("y");
  const std::int64_t image = y == links.cells.end() || y->second.empty() ? 0 : y->second.front().first[0];
  return static_cast<std::int64_t>(blocks_of_image(*model.problem(), *schedule->launch, image).blocks.size());
}

std::string wrong_block(const State& state, const Model& model) {
  if (!model.problem() || state.panel != "layouts" || state.arrangement != "schedule" || state.block == 0) return "";
  const std::optional<std::int64_t> blocks = scheduled_blocks(state, model);
  const std::string says = "block: " + std::to_string(state.block) + ", must be ";
  if (!blocks) return says + "0 where no chosen row has a schedule";
  return state.block < *blocks ? "" : says + "< " + std::to_string(*blocks) + ", the blocks that compute the image";
}

std::vector<std::string> wrong_in(const State& state, const Model& model) {
  std::vector<std::string> lines{wrong_layer(state), model.overflow()};
  for (const BrokenRule& rule : model.broken()) lines.push_back(rule.line());
  for (const std::string& run : model.unknown_runs())
    lines.push_back("runs: " + run + ", must be a row of `convlens list algorithms` with options that it has");
  lines.push_back(model.wrong_cursor(state.cursor));
  lines.push_back(wrong_block(state, model));
  if (state.panel == "performance") lines.push_back(wrong_run("performance.run", state.performance.run));
  if (state.panel == "numerics") lines.push_back(wrong_run("numerics.run", state.numerics.run));
  if (state.panel == "kernel" && model.problem()) lines.push_back(wrong_kernel(state, *model.problem()));
  std::erase(lines, "");
  return lines;
}

}  // namespace convlens::viewer
