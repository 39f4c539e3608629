#include "viewer/logic/links.h"

#include <algorithm>

#include "algorithms/interface/tensor_maps.h"
#include "viewer/logic/cells_of_box.h"
#include "viewer/logic/each_cell.h"

namespace convlens::viewer {

namespace {

// Follows one cell of a stage down to elements of x and w.
void descend(const Plan& plan, const Stage& stage, const Coord& cell, const Rational& factor, Links& links) {
  const Source source = stage.map->source(cell);
  for (const Term& term : source.terms) {
    if (links.terms.size() >= kMostBoxes) {
      links.complete = false;
      return;
    }
    if (term.from.id < 0) {
      links.terms.push_back(
          {term.from, term.at, source.kind == SourceKind::region ? factor : factor * term.coefficient});
    } else {
      const Stage& below = plan.stages()[static_cast<std::size_t>(term.from.id)];
      for_each_cell(term.at, [&](const Coord& at) { descend(plan, below, at, factor, links); });
    }
  }
}

std::vector<Box> outputs_of(const ConvProblem& problem, const Model& model, const Exhibit& exhibit, const Coord& at) {
  std::vector<Box> boxes;
  const auto add = [&](const Box& box) { boxes.push_back(box); };
  switch (exhibit.role) {
    case Role::input:
      InputMap(problem).outputs(at, add);
      break;
    case Role::filter:
      FilterMap(problem).outputs(at, add);
      break;
    case Role::stage:
      boxes = model.stage(exhibit).map->outputs(at);
      break;
    case Role::output:
      boxes = {Box::cell(at)};
      break;
  }
  return boxes;
}

void find_terms(const ConvProblem& problem, const Model& model, const Exhibit& exhibit, const Coord& at, Links& links) {
  switch (exhibit.role) {
    case Role::input:
      links.terms = {{kInput, Box::cell(at), 1}};
      break;
    case Role::filter:
      links.terms = {{kFilter, Box::cell(at), 1}};
      break;
    case Role::output:
      links.kind = SourceKind::region;
      for (const Box& box : window_of_output(problem, at)) links.terms.push_back({kInput, box, 1});
      links.terms.push_back(
          {kFilter, Box{{at[1], 0, 0, 0}, {1, problem.ci_per_group(), problem.hf(), problem.wf(), 1, 1}}, 1});
      break;
    case Role::stage: {
      const Stage& stage = model.stage(exhibit);
      links.kind = stage.map->source(at).kind;
      descend(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan, stage, at, 1, links);
      break;
    }
  }
}

// The elements of x (or w) that the cursor's cell is made of, channels that follow each other in one box.
std::vector<Box> elements_of(const Links& links, Operand from) {
  constexpr std::size_t kChannel = 1;
  std::vector<Box> boxes;
  for (const LinkedTerm& term : links.terms) {
    if (term.from != from) continue;
    Box next = term.at;
    if (!boxes.empty()) {
      Box& last = boxes.back();
      next.first[kChannel] = last.first[kChannel], next.extent[kChannel] = last.extent[kChannel];
      if (next == last && term.at.first[kChannel] == last.first[kChannel] + last.extent[kChannel]) {
        last.extent[kChannel] += term.at.extent[kChannel];
        continue;
      }
    }
    boxes.push_back(term.at);
  }
  return boxes;
}

// The cells of `stage` that hold elements of the terms; of a stage made from others, the cells made from those.
std::vector<Box> holders(const Stage& stage, const Links& links, const std::vector<std::vector<Box>>& below,
                         bool& complete) {
  std::vector<Box> boxes;
  const auto add = [&](Operand from, const Box& elements) {
    const std::vector<Box> more = cells_of_box(*stage.map, from, elements, kMostBoxes, complete);
    boxes.insert(boxes.end(), more.begin(), more.end());
    if (boxes.size() > 2 * kMostBoxes) remove_repetitions(boxes);
  };
  for (const Operand from : stage.made_from) {
    if (from.id >= 0) {
      for (const Box& box : below[static_cast<std::size_t>(from.id)]) add(from, box);
      continue;
    }
    for (const Box& box : elements_of(links, from)) add(from, box);
  }
  remove_repetitions(boxes);
  if (boxes.size() > kMostBoxes) boxes.resize(kMostBoxes), complete = false;
  return boxes;
}

// The parts of `box`, from `axis` on cut into single cells wherever cells serve different outputs, that serve `output`.
void add_used(const Stage& stage, const Box& box, std::size_t axis, const Coord& output, std::vector<Box>& used) {
  const std::vector<Box> outputs = stage.map->outputs(box.first);
  for (; axis < kMaxRank; ++axis) {
    const auto same_at = [&](std::int64_t k) {
      Coord at = box.first;
      at[axis] += k;
      return stage.map->outputs(at) == outputs;
    };
    // As in cells_of_box: what the first, second and last cell have in common all of them have.
    if (box.extent[axis] == 1 || (same_at(1) && same_at(box.extent[axis] - 1))) continue;
    for (std::int64_t k = 0; k < box.extent[axis]; ++k) {
      Box one = box;
      one.first[axis] += k;
      one.extent[axis] = 1;
      add_used(stage, one, axis + 1, output, used);
    }
    return;
  }
  if (std::ranges::any_of(outputs, [&](const Box& b) { return b.contains(output); })) used.push_back(box);
}

std::vector<Box> used_for(const Stage& stage, const std::vector<Box>& lit, const Coord& output) {
  std::vector<Box> used;
  for (const Box& box : lit) add_used(stage, box, 0, output, used);
  return used;
}

}  // namespace

std::vector<Box> window_of_output(const ConvProblem& p, const Coord& output) {
  std::vector<Box> boxes;
  const std::int64_t first = p.group_of_output(output[1]) * p.ci_per_group();
  for (std::int64_t u = 0; u < p.hf(); ++u)
    for (std::int64_t v = 0; v < p.wf(); ++v) {
      const std::int64_t h = p.input_row(output[2], u), w = p.input_column(output[3], v);
      if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) continue;
      boxes.push_back({{output[0], first, h, w}, {1, p.ci_per_group(), 1, 1, 1, 1}});
    }
  return boxes;
}

bool Links::lit(const std::string& exhibit, const Coord& at) const {
  const auto found = cells.find(exhibit);
  return found != cells.end() && std::ranges::any_of(found->second, [&](const Box& box) { return box.contains(at); });
}

Links links_of(const Model& model, const Cursor& cursor) {
  Links links;
  const Exhibit* exhibit = model.find(cursor.tensor);
  if (exhibit == nullptr || exhibit->cells() == 0) return links;
  const ConvProblem& problem = *model.problem();
  find_terms(problem, model, *exhibit, cursor.at, links);

  for (const LinkedTerm& term : links.terms) links.cells[term.from == kInput ? "x" : "w"].push_back(term.at);
  for (auto& [id, boxes] : links.cells) remove_repetitions(boxes);
  links.cells["y"] = outputs_of(problem, model, *exhibit, cursor.at);
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    const ChosenRow& row = model.rows()[r];
    if (!row.plan) continue;
    std::vector<std::vector<Box>> lit(row.plan->stages().size());
    for (std::size_t s = 0; s < lit.size(); ++s) {
      const Stage& stage = row.plan->stages()[s];
      if (stage.map == nullptr) continue;
      lit[s] = holders(stage, links, lit, links.complete);
      links.cells[row.run + "/" + stage.id] = lit[s];
      if (exhibit->role == Role::output) links.used[row.run + "/" + stage.id] = used_for(stage, lit[s], cursor.at);
    }
  }
  links.cells[exhibit->id] = {Box::cell(cursor.at)};
  return links;
}

}  // namespace convlens::viewer
