#include "viewer/logic/links.h"

#include <algorithm>
#include <utility>

#include "algorithms/interface/tensor_maps.h"
#include "viewer/logic/box_queries.h"
#include "viewer/logic/coefficients.h"

namespace convlens::viewer {

namespace {

constexpr double kMostListed = 1 << 22;  // steps of a cell whose sources are listed one by one

bool made_of_filter(const Plan& plan, const Stage& stage) {
  return std::ranges::all_of(stage.made_from, [&](Operand from) {
    return from == kFilter || (from.id >= 0 && made_of_filter(plan, plan.stages()[static_cast<std::size_t>(from.id)]));
  });
}

// Whether the outputs that depend on one cell may be too many boxes to be told: a tap that is mixed with others serves
// some outputs of every tile of a huge image.
bool serves_too_many(const ConvProblem& p, const Plan& plan, const Stage& stage) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  return p.ho() > kMost / p.wo() && made_of_filter(plan, stage);
}

std::vector<Box> outputs_of(const ConvProblem& problem, const Model& model, const Exhibit& exhibit, const Coord& at,
                            bool& complete) {
  std::vector<Box> boxes;
  const auto add = [&](const Box& box) { boxes.push_back(box); };
  switch (exhibit.role) {
    case Role::input:
      InputMap(problem).outputs(at, add);
      break;
    case Role::filter:
      FilterMap(problem).outputs(at, add);
      break;
    case Role::blocks:
      if (const auto element = model.element_of_block(at)) FilterMap(problem).outputs(*element, add);
      break;
    case Role::stage:
      if (serves_too_many(problem, *model.rows()[static_cast<std::size_t>(exhibit.row)].plan, model.stage(exhibit)))
        complete = false;
      else
        boxes = model.stage(exhibit).map->outputs(at);
      break;
    case Role::output:
      boxes = {Box::cell(at)};
      break;
  }
  return boxes;
}

// Elements, sources and destinations by the maps of the row that the cell is of.
void follow_row(const Model& model, const Exhibit& exhibit, const Coord& at, Links& links) {
  const ChosenRow& row = model.rows()[static_cast<std::size_t>(exhibit.row)];
  Budget budget{kMostBoxes, kMostQuestions};
  Trail trail = trail_of(*row.plan, static_cast<std::size_t>(exhibit.stage), at, budget);
  links.terms = std::move(trail.terms);
  links.complete = budget.complete;
  for (std::size_t s = 0; s < row.plan->stages().size(); ++s) {
    const std::string id = row.run + "/" + row.plan->stages()[s].id;
    const bool is_source = !trail.sources[s].empty();
    links.cells[id] = std::move(is_source ? trail.sources[s] : trail.destinations[s]);
    links.ties[id] = is_source ? Tie::source : Tie::destination;
  }
}

void find_terms(const ConvProblem& problem, const Model& model, const Exhibit& exhibit, const Coord& at, Links& links) {
  switch (exhibit.role) {
    case Role::input:
      links.terms = {{kInput, Box::cell(at), 1}};
      break;
    case Role::filter:
      links.terms = {{kFilter, Box::cell(at), 1}};
      break;
    case Role::blocks:
      if (const auto element = model.element_of_block(at))
        links.terms = {{kFilter, Box::cell(*element), 1}};
      else
        links.kind = SourceKind::zero_padding;
      break;
    case Role::output:
      links.kind = SourceKind::region;
      for (const Box& box : window_of_output(problem, at)) links.terms.push_back({kInput, box, 1});
      links.terms.push_back(
          {kFilter, Box{{at[1], 0, 0, 0}, {1, problem.ci_per_group(), problem.hf(), problem.wf(), 1, 1}}, 1});
      break;
    case Role::stage: {
      const Stage& stage = model.stage(exhibit);
      if (exhibit.effort.each > kMostListed) {
        links.kind = SourceKind::region;
        links.complete = false;
        break;
      }
      links.kind = stage.map->source(at).kind;
      follow_row(model, exhibit, at, links);
      break;
    }
  }
}

// The cells of `stage` that hold elements of the terms; of a stage made from others, the cells made from those.
std::vector<Box> holders(const Plan& plan, const Stage& stage, const Links& links,
                         const std::vector<std::vector<Box>>& below, Budget& budget) {
  std::vector<Box> boxes;
  const auto add = [&](Operand from, const Box& elements) {
    const std::vector<Box> more = cells_of_box(plan, stage, from, elements, budget);
    boxes.insert(boxes.end(), more.begin(), more.end());
    if (boxes.size() > 2 * kMostBoxes) remove_repetitions(boxes);
  };
  for (const Operand from : stage.made_from) {
    if (from.id >= 0) {
      for (const Box& box : below[static_cast<std::size_t>(from.id)]) add(from, box);
      continue;
    }
    for (const LinkedTerm& term : links.terms)
      if (term.from == from) add(from, term.at);
  }
  remove_repetitions(boxes);
  if (boxes.size() > kMostBoxes) boxes.resize(kMostBoxes), budget.complete = false;
  return boxes;
}

// The same elements of w where all channels are in one matrix.
std::vector<Box> in_blocks(const ConvProblem& problem, const std::vector<Box>& of_w) {
  std::vector<Box> boxes;
  for (Box box : of_w) {
    const std::int64_t outputs = std::exchange(box.extent[0], 1);
    const std::int64_t channel = box.first[1];
    for (std::int64_t k = 0; k < outputs; ++k, ++box.first[0]) {
      box.first[1] = problem.group_of_output(box.first[0]) * problem.ci_per_group() + channel;
      boxes.push_back(box);
    }
  }
  return boxes;
}

// Whether the window of an output reaches into the padding.
bool on_padding(const ConvProblem& p, const Coord& y) {
  return p.input_row(y[2], 0) < 0 || p.input_row(y[2], p.hf() - 1) >= p.hi() || p.input_column(y[3], 0) < 0 ||
         p.input_column(y[3], p.wf() - 1) >= p.wi();
}

// Whether a stage may hold more than the elements of x as they are: one whose cells are pixels has no padding.
bool reaches_padding(const Plan& plan, const Stage& stage) {
  return !made_of_filter(plan, stage) && std::ranges::find(stage.axes, "h", &Axis::name) == stage.axes.end();
}

std::int64_t image_of(const Exhibit& exhibit, const Coord& at, const std::vector<Box>& outputs) {
  const auto n = std::ranges::find(exhibit.axes, "n", &Axis::name);
  if (n != exhibit.axes.end()) return at[static_cast<std::size_t>(n - exhibit.axes.begin())];
  return outputs.empty() ? 0 : outputs.front().first[0];
}

// What of `row`, which the cursor is not in, holds the elements of the cursor's cell, which is `at`.
void look_up(const ChosenRow& row, const Exhibit& exhibit, const Coord& at, Links& links) {
  const bool output = exhibit.role == Role::output;
  std::vector<std::vector<Box>> lit(row.plan->stages().size());
  for (std::size_t s = 0; s < lit.size(); ++s) {
    const Stage& stage = row.plan->stages()[s];
    if (stage.map == nullptr) continue;
    const std::string id = row.run + "/" + stage.id;
    Budget budget{kMostBoxes, kMostQuestions};
    lit[s] = holders(*row.plan, stage, links, lit, budget);
    if (output && !serves_too_many(row.plan->problem(), *row.plan, stage))
      links.used[id] = cells_for_output(row.plan->problem(), stage, lit[s], at, budget);
    if (output && on_padding(row.plan->problem(), at) && reaches_padding(*row.plan, stage)) {
      // No element leads to the zeros of the padding, nor to a tile that has others than the window's.
      const std::vector<Box> all = cells_for_output(row.plan->problem(), stage, at, budget);
      for (std::vector<Box>* boxes : {&lit[s], &links.used[id]}) {
        boxes->insert(boxes->end(), all.begin(), all.end());
        remove_repetitions(*boxes);
      }
    }
    links.cells[id] = lit[s];
    links.ties[id] = output ? Tie::source : exhibit.role == Role::stage ? Tie::elsewhere : Tie::destination;
    if (exhibit.role == Role::stage) links.used[id] = {};
    links.complete = links.complete && budget.complete;
  }
}

}  // namespace

std::string name(Tie tie) {
  switch (tie) {
    case Tie::self:
      return "this";
    case Tie::source:
      return "source";
    case Tie::destination:
      return "destination";
    case Tie::elsewhere:
      break;
  }
  return "the same place elsewhere";
}

std::vector<Box> window_of_output(const ConvProblem& p, const Coord& output) {
  std::vector<Box> boxes;
  const std::int64_t first = p.group_of_output(output[1]) * p.ci_per_group();
  // A window of very many taps without gaps is one box: nobody tells its taps apart.
  constexpr std::int64_t kManyTaps = 1 << 14;
  if (p.taps() > kManyTaps && p.spec().dilation_h == 1 && p.spec().dilation_w == 1) {
    const std::int64_t top = std::max<std::int64_t>(0, p.input_row(output[2], 0)),
                       left = std::max<std::int64_t>(0, p.input_column(output[3], 0)),
                       bottom = std::min(p.hi(), p.input_row(output[2], p.hf() - 1) + 1),
                       right = std::min(p.wi(), p.input_column(output[3], p.wf() - 1) + 1);
    if (top < bottom && left < right)
      boxes.push_back({{output[0], first, top, left}, {1, p.ci_per_group(), bottom - top, right - left, 1, 1}});
    return boxes;
  }
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
  for (const std::string tensor : {"x", "w"}) remove_repetitions(links.cells[tensor]), links.ties[tensor] = Tie::source;
  if (problem.groups() > 1) {
    links.cells["w_blocks"] = in_blocks(problem, links.cells["w"]);
    const std::string other = exhibit->role == Role::filter ? "w_blocks" : exhibit->role == Role::blocks ? "w" : "";
    links.ties["w_blocks"] = Tie::source;
    if (!other.empty()) links.ties[other] = Tie::elsewhere, links.used[other] = {};
  }
  links.cells["y"] = outputs_of(problem, model, *exhibit, cursor.at, links.complete);
  links.ties["y"] = Tie::destination;
  links.image = image_of(*exhibit, cursor.at, links.cells["y"]);
  for (std::size_t r = 0; r < model.rows().size(); ++r)
    if (model.rows()[r].plan && static_cast<int>(r) != exhibit->row)
      look_up(model.rows()[r], *exhibit, cursor.at, links);
  links.cells[exhibit->id] = {Box::cell(cursor.at)};
  links.ties[exhibit->id] = Tie::self;
  links.coefficients = coefficients_of(model, cursor, links);
  return links;
}

}  // namespace convlens::viewer
