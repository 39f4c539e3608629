#include "viewer/logic/steps.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

constexpr double kGrowing = 0.6;  // the part of a phase in which its tensors grow

// 1 for a stage made from x or w alone, else one more than the highest of the stages that it is made from.
std::vector<int> depths(std::span<const Stage> stages) {
  std::vector<int> depths;
  for (const Stage& stage : stages) {
    int depth = 1;
    for (const Operand from : stage.made_from)
      if (from.id >= 0) depth = std::max(depth, 1 + depths[static_cast<std::size_t>(from.id)]);
    depths.push_back(depth);
  }
  return depths;
}

bool made_from_filter(const Model& model, const Exhibit* exhibit) {
  return model.stage(*exhibit).made_from == std::vector{kFilter};
}

}  // namespace

std::vector<Phase> phases_of(const Model& model, int row) {
  const std::vector<int> depth = depths(model.rows()[static_cast<std::size_t>(row)].plan->stages());
  std::vector<Phase> phases;
  const int deepest = depth.empty() ? 0 : std::ranges::max(depth);
  for (int d = 1; d <= deepest; ++d) {
    Phase phase;
    for (const Exhibit& exhibit : model.exhibits())
      if (exhibit.role == Role::stage && exhibit.row == row && depth[static_cast<std::size_t>(exhibit.stage)] == d)
        phase.exhibits.push_back(&exhibit);
    std::ranges::stable_sort(phase.exhibits, {}, [&](const Exhibit* e) { return made_from_filter(model, e); });
    // A phase in which only the filter is packed says nothing about the data.
    if (!phase.exhibits.empty() && !made_from_filter(model, phase.exhibits.front())) phases.push_back(std::move(phase));
  }
  phases.push_back({{model.find("y")}});
  return phases;
}

Progress progress_at(std::int64_t step, std::size_t phases) {
  const std::int64_t count = static_cast<std::int64_t>(phases), at = std::clamp<std::int64_t>(step, 0, kSteps) * count;
  const std::int64_t phase = std::min(at / kSteps, count - 1);
  const double within = static_cast<double>(at - phase * kSteps) / static_cast<double>(kSteps);
  return {static_cast<std::size_t>(phase), std::min(1.0, within / kGrowing)};
}

int row_of_family(const Model& model, const std::string& family) {
  int refused = -1;
  for (int row = static_cast<int>(model.rows().size()) - 1; row >= 0; --row) {
    const ChosenRow& chosen = model.rows()[static_cast<std::size_t>(row)];
    if (chosen.algorithm->family == family && !chosen.plan) refused = row;
  }
  for (std::size_t row = 0; row < model.rows().size(); ++row)
    if (model.rows()[row].algorithm->family == family && model.rows()[row].plan) return static_cast<int>(row);
  return refused;
}

std::vector<int> rows_side_by_side(const Model& model) {
  std::vector<int> rows;
  for (const char* family : kFamilies)
    if (const int row = row_of_family(model, family); row >= 0) rows.push_back(row);
  return rows;
}

std::vector<LeftOut> left_out(const Model& model) {
  std::vector<LeftOut> left;
  for (std::size_t number = 0; number < model.rows().size(); ++number) {
    const ChosenRow& row = model.rows()[number];
    const int shown = std::ranges::find(kFamilies, row.algorithm->family) == kFamilies.end()
                          ? -1
                          : row_of_family(model, row.algorithm->family);
    if (shown == static_cast<int>(number)) continue;
    left.push_back(
        {row.run, shown < 0 ? "of another family" : model.rows()[static_cast<std::size_t>(shown)].run + " is shown"});
  }
  return left;
}

}  // namespace convlens::viewer
