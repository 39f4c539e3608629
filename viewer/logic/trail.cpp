#include "viewer/logic/trail.h"

namespace convlens::viewer {

namespace {

// Follows cells of a stage down to elements of x and w.
void descend(const Plan& plan, const Stage& stage, const Box& cells, const Rational& factor, Budget& budget,
             Trail& trail) {
  for (const Term& term : sources_of_box(stage, cells, budget)) {
    if (trail.terms.size() >= budget.boxes) {
      budget.complete = false;
      return;
    }
    if (term.from.id < 0) {
      trail.terms.push_back({term.from, term.at, factor * term.coefficient});
      continue;
    }
    const auto below = static_cast<std::size_t>(term.from.id);
    trail.sources[below].push_back(term.at);
    descend(plan, plan.stages()[below], term.at, factor * term.coefficient, budget, trail);
  }
}

// Stages come after those that they are made from.
void ascend(const Plan& plan, std::size_t first, const Coord& at, Budget& budget, Trail& trail) {
  const std::vector<Box> start{Box::cell(at)};
  for (std::size_t s = first + 1; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    if (stage.map == nullptr) continue;
    std::vector<Box>& reached = trail.destinations[s];
    for (const Operand from : stage.made_from) {
      if (from.id < 0) continue;
      const auto below = static_cast<std::size_t>(from.id);
      for (const Box& box : below == first ? start : trail.destinations[below]) {
        const std::vector<Box> more = cells_of_box(plan, stage, from, box, budget);
        reached.insert(reached.end(), more.begin(), more.end());
      }
    }
    remove_repetitions(reached);
    if (reached.size() > budget.boxes) reached.resize(budget.boxes), budget.complete = false;
  }
}

}  // namespace

Trail trail_of(const Plan& plan, std::size_t stage, const Coord& at, Budget& budget) {
  const std::size_t stages = plan.stages().size();
  Trail trail{{}, std::vector<std::vector<Box>>(stages), std::vector<std::vector<Box>>(stages)};
  Budget down{budget.boxes, budget.questions}, up = down;
  descend(plan, plan.stages()[stage], Box::cell(at), 1, down, trail);
  for (std::vector<Box>& boxes : trail.sources) remove_repetitions(boxes);
  ascend(plan, stage, at, up, trail);
  budget.complete = budget.complete && down.complete && up.complete;
  return trail;
}

}  // namespace convlens::viewer
