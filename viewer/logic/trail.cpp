#include "viewer/logic/trail.h"

#include <algorithm>

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

bool made_from(const Stage& stage, Operand operand) {
  return stage.map != nullptr && std::ranges::find(stage.made_from, operand) != stage.made_from.end();
}

// Whether a stage is but another order of what it is made from: no element is in it twice, and one that is a complex
// number is in it as its two parts.
bool reorders(const Stage& stage, Operand from, const Coord& element) {
  if (!stage.stored || stage.map == nullptr || stage.made_from != std::vector{from}) return false;
  std::int64_t cells = 0;
  const std::vector<Box> boxes = stage.map->cells(from, element);
  for (const Box& box : boxes) cells += box.size();
  if (cells != 1 && (cells != 2 || from.id < 0)) return false;
  return stage.map->source(boxes.front().first).kind != SourceKind::combination;
}

// The cells of copies in another order that hold what the way leads through.
void add_copies(const Plan& plan, std::size_t first, Budget& budget, Trail& trail) {
  for (std::size_t s = 0; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    if (s == first || stage.made_from.size() != 1 || !trail.sources[s].empty()) continue;
    const Operand from = stage.made_from.front();
    std::vector<Box> boxes;
    if (from.id >= 0) boxes = trail.sources[static_cast<std::size_t>(from.id)];
    for (const LinkedTerm& term : trail.terms)
      if (term.from == from) boxes.push_back(term.at);
    if (boxes.empty() || !reorders(stage, from, boxes.front().first)) continue;
    for (const Box& box : boxes)
      for (const Box& cells : cells_of_box(plan, stage, from, box, budget)) trail.sources[s].push_back(cells);
  }
}

// Stages come after those that they are made from. A copy in another order goes where what it is a copy of goes.
void ascend(const Plan& plan, std::size_t first, const Coord& at, Budget& budget, Trail& trail) {
  const Stage& own = plan.stages()[first];
  std::vector<Term> start{{stage_operand(static_cast<int>(first)), Box::cell(at)}};
  const Source source = own.map->source(at);
  if (source.terms.size() == 1 && reorders(own, source.terms.front().from, source.terms.front().at.first))
    start.push_back(source.terms.front());
  for (std::size_t s = 0; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    if (s == first || stage.map == nullptr) continue;
    std::vector<Box>& reached = trail.destinations[s];
    const auto add = [&](Operand from, const Box& box) {
      const std::vector<Box> more = cells_of_box(plan, stage, from, box, budget);
      reached.insert(reached.end(), more.begin(), more.end());
    };
    for (const Term& term : start)
      if (made_from(stage, term.from)) add(term.from, term.at);
    for (const Operand from : stage.made_from)
      if (from.id >= 0)
        for (const Box& box : trail.destinations[static_cast<std::size_t>(from.id)]) add(from, box);
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
  add_copies(plan, stage, down, trail);
  for (std::vector<Box>& boxes : trail.sources) remove_repetitions(boxes);
  ascend(plan, stage, at, up, trail);
  budget.complete = budget.complete && down.complete && up.complete;
  return trail;
}

}  // namespace convlens::viewer
