#include "viewer/logic/state_rules.h"

#include <algorithm>

#include "algorithms/problem/layers.h"
#include "viewer/logic/links.h"
#include "viewer/logic/schedule.h"

namespace convlens::viewer {

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
  std::erase(lines, "");
  return lines;
}

}  // namespace convlens::viewer
