#include "viewer/logic/box_queries.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

namespace convlens::viewer {

namespace {

using Pieces = std::vector<Term>;
using Ask = std::function<Pieces(const Coord&)>;
// The axes whose first, second and last answer are taken at their word: images and channels, which there may be many
// of. Along all others every answer is looked at, because tiles may share rows and columns in the middle.
using Steady = std::array<bool, kMaxRank>;

Steady steady_axes(const std::vector<Axis>& axes) {
  constexpr std::array<std::string_view, 3> kNames{"n", "c", "o"};
  Steady steady{};
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    steady[axis] = std::ranges::find(kNames, axes[axis].name) != kNames.end();
  return steady;
}

// The axis along which `to` lies `distance` after `from`, −1 when they are the same, nothing when they differ in any
// other way.
std::optional<int> shift_axis(const Term& from, const Term& to, std::int64_t distance) {
  if (from.from != to.from || from.at.extent != to.at.extent || from.coefficient != to.coefficient) return std::nullopt;
  int axis = -1;
  for (std::size_t k = 0; k < kMaxRank; ++k) {
    if (from.at.first[k] == to.at.first[k]) continue;
    if (axis >= 0 || to.at.first[k] - from.at.first[k] != distance || from.at.extent[k] != 1) return std::nullopt;
    axis = static_cast<int>(k);
  }
  return axis;
}

bool before(const Box& a, const Box& b) { return a.first != b.first ? a.first < b.first : a.extent < b.extent; }

// `box` without all but the k-th of its elements along `axis`.
Box slice(const Box& box, std::size_t axis, std::int64_t k, std::int64_t count = 1) {
  Box one = box;
  one.first[axis] += k;
  one.extent[axis] = count;
  return one;
}

class Search {
 public:
  Search(Ask ask, Steady steady, Budget& budget) : ask_(std::move(ask)), steady_(steady), budget_(budget) {}

  // The answer for `box`, whose axes before `axis` have one element each.
  Pieces pieces(const Box& box, std::size_t axis) {
    while (axis < kMaxRank && box.extent[axis] == 1) ++axis;
    if (axis == kMaxRank) return ask(box.first);
    const std::int64_t count = box.extent[axis];
    if (count <= 0) return {};
    if (steady_[axis] || only_shifts(box, axis)) {
      Pieces first = pieces(slice(box, axis, 0), axis + 1);
      if (stretch(first, pieces(slice(box, axis, 1), axis + 1), pieces(slice(box, axis, count - 1), axis + 1), count))
        return first;
    }
    Pieces all = pieces(slice(box, axis, 0, count / 2), axis);
    if (!budget_.complete) return all;
    const Pieces more = pieces(slice(box, axis, count / 2, count - count / 2), axis);
    all.insert(all.end(), more.begin(), more.end());
    if (all.size() > 2 * budget_.boxes) shorten(all);
    if (all.size() > budget_.boxes) budget_.complete = false;
    return all;
  }

 private:
  Pieces ask(const Coord& at) const {
    if (--budget_.questions < 0) budget_.complete = false;
    return budget_.complete ? ask_(at) : Pieces{};
  }

  // Whether the answers along `axis` only shift, at the first element of the other axes.
  bool only_shifts(const Box& box, std::size_t axis) const {
    const Pieces first = ask(box.first);
    Coord at = box.first;
    for (std::int64_t k = 1; k < box.extent[axis] && budget_.complete; ++k) {
      ++at[axis];
      const Pieces next = ask(at);
      if (next.size() != first.size()) return false;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (!shift_axis(first[i], next[i], k)) return false;
    }
    return true;
  }

  // Lengthens the pieces of the first element to those of all `count`; false when the answers do not only shift.
  static bool stretch(Pieces& first, const Pieces& second, const Pieces& last, std::int64_t count) {
    if (second.size() != first.size() || last.size() != first.size()) return false;
    std::vector<int> axes;
    for (std::size_t k = 0; k < first.size(); ++k) {
      const std::optional<int> axis = shift_axis(first[k], last[k], count - 1);
      if (!axis || shift_axis(first[k], second[k], 1) != axis) return false;
      axes.push_back(*axis);
    }
    for (std::size_t k = 0; k < first.size(); ++k)
      if (axes[k] >= 0) first[k].at.extent[static_cast<std::size_t>(axes[k])] = count;
    return true;
  }

  static void shorten(Pieces& pieces) {
    std::ranges::sort(pieces, [](const Term& a, const Term& b) { return before(a.at, b.at); });
    const auto same = [](const Term& a, const Term& b) {
      return a.from == b.from && a.at == b.at && a.coefficient == b.coefficient;
    };
    const auto repeated = std::ranges::unique(pieces, same);
    pieces.erase(repeated.begin(), repeated.end());
  }

  Ask ask_;
  Steady steady_;
  Budget& budget_;
};

// The smallest box around all of them; nothing around none.
std::optional<Box> hull(const std::vector<Box>& boxes) {
  if (boxes.empty()) return std::nullopt;
  Box around = boxes.front();
  for (const Box& box : boxes)
    for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
      const std::int64_t end = std::max(around.first[axis] + around.extent[axis], box.first[axis] + box.extent[axis]);
      around.first[axis] = std::min(around.first[axis], box.first[axis]);
      around.extent[axis] = end - around.first[axis];
    }
  return around;
}

// Whether `output` comes before all that the first cell of a box serves, or after all that its last cell does, by more
// than the `disorder` of what neighbouring cells serve.
bool outside(const std::optional<Box>& first, const std::optional<Box>& last, const Coord& output,
             const Coord& disorder) {
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
    if (first && output[axis] + disorder[axis] < first->first[axis]) return true;
    if (last && output[axis] - disorder[axis] >= last->first[axis] + last->extent[axis]) return true;
  }
  return false;
}

// How far the outputs of a cell may lie before those of the cells in front of it: taps of a dilated filter interleave.
// At its left edge and dilation 2, columns 0, 1 and 2 serve the outputs {0}, {1} and {0, 2}.
Coord disorder_of(const ConvProblem& p) {
  const auto reach = [](std::int64_t taps, std::int64_t dilation) { return dilation > 1 ? (taps - 1) * dilation : 0; };
  return {0, 0, reach(p.hf(), p.spec().dilation_h), reach(p.wf(), p.spec().dilation_w)};
}

bool all_of(std::int64_t first, std::int64_t end, const std::function<bool(std::int64_t)>& holds) {
  while (first < end && holds(first)) ++first;
  return first >= end;
}

Coord last_of(const Box& box) {
  Coord last = box.first;
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) last[axis] += box.extent[axis] - 1;
  return last;
}

class OutputSearch {
 public:
  // `steady`: the axes along which cells are alike where the first, second and last are.
  OutputSearch(const ConvProblem& problem, const Stage& stage, const Coord& output, const Steady& steady,
               Budget& budget)
      : stage_(stage), output_(output), disorder_(disorder_of(problem)), steady_(steady), budget_(budget) {}

  // From `axis` on; the axes of `box` before it have one cell each, or all cells alike.
  void add(const Box& box, std::size_t axis, std::vector<Box>& found) {
    if (!budget_.complete) return;
    const std::vector<Box>& outputs = outputs_of(box.first);
    for (; axis < kMaxRank; ++axis) {
      const std::int64_t count = box.extent[axis];
      if (count == 1) continue;
      const auto same_at = [&](std::int64_t k) { return outputs_of(slice(box, axis, k).first) == outputs; };
      if (same_at(count - 1) && same_at(1) && (steady_[axis] || all_of(2, count - 1, same_at))) continue;
      if (outside(hull(outputs), hull(outputs_of(last_of(box))), output_, disorder_)) return;
      add(slice(box, axis, 0, count / 2), axis, found);
      add(slice(box, axis, count / 2, count - count / 2), axis, found);
      return;
    }
    if (std::ranges::any_of(outputs, [&](const Box& b) { return b.contains(output_); })) found.push_back(box);
  }

 private:
  // The same few cells are asked about again and again, and those of filters serve many boxes.
  const std::vector<Box>& outputs_of(const Coord& cell) {
    const auto [at, is_new] = asked_.try_emplace(cell);
    if (!is_new) return at->second;
    if (budget_.questions > 0) at->second = stage_.map->outputs(cell);
    constexpr std::int64_t kBoxesAQuestion = 16;  // long answers count for more than one
    budget_.questions -= 1 + static_cast<std::int64_t>(at->second.size()) / kBoxesAQuestion;
    if (budget_.questions <= 0) budget_.complete = false;
    return at->second;
  }

  const Stage& stage_;
  const Coord output_, disorder_;
  const Steady steady_;
  Budget& budget_;
  std::map<Coord, std::vector<Box>> asked_;
};

std::vector<Box> search_for_output(const ConvProblem& problem, const Stage& stage, const std::vector<Box>& boxes,
                                   const Coord& output, const Steady& steady, Budget& budget) {
  Budget own{budget.boxes, budget.questions};
  OutputSearch search(problem, stage, output, steady, own);
  std::vector<Box> found;
  for (const Box& box : boxes)
    if (box.size() > 0) search.add(box, 0, found);
  budget.questions = own.questions;
  budget.complete = budget.complete && own.complete;
  return found;
}

}  // namespace

void remove_repetitions(std::vector<Box>& boxes) {
  std::ranges::sort(boxes, before);
  const auto repeated = std::ranges::unique(boxes);
  boxes.erase(repeated.begin(), repeated.end());
}

std::vector<Box> cells_of_box(const Plan& plan, const Stage& stage, Operand from, const Box& box, Budget& budget) {
  const Ask ask = [&](const Coord& element) {
    Pieces pieces;
    for (const Box& cells : stage.map->cells(from, element)) pieces.push_back({from, cells, 1});
    return pieces;
  };
  // x and w have images or outputs, and channels, as their first two axes.
  const Steady steady =
      from.id >= 0 ? steady_axes(plan.stages()[static_cast<std::size_t>(from.id)].axes) : Steady{true, true};
  // A search that is cut short does not keep the next one from its own.
  Budget own{budget.boxes, budget.questions};
  std::vector<Box> boxes;
  for (const Term& piece : Search(ask, steady, own).pieces(box, 0)) boxes.push_back(piece.at);
  remove_repetitions(boxes);
  if (boxes.size() > own.boxes) boxes.resize(own.boxes), own.complete = false;
  budget.questions = own.questions;
  budget.complete = budget.complete && own.complete;
  return boxes;
}

std::vector<Term> sources_of_box(const Stage& stage, const Box& box, Budget& budget) {
  const Ask ask = [&](const Coord& cell) {
    Source source = stage.map->source(cell);
    if (source.kind == SourceKind::region)
      for (Term& term : source.terms) term.coefficient = 1;
    return source.terms;
  };
  return Search(ask, steady_axes(stage.axes), budget).pieces(box, 0);
}

std::vector<Box> cells_for_output(const ConvProblem& problem, const Stage& stage, const std::vector<Box>& boxes,
                                  const Coord& output, Budget& budget) {
  return search_for_output(problem, stage, boxes, output, {true, true, true, true, true, true}, budget);
}

std::vector<Box> cells_for_output(const ConvProblem& problem, const Stage& stage, const Coord& output, Budget& budget) {
  Box all;
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) all.extent[axis] = stage.axes[axis].extent;
  return search_for_output(problem, stage, {all}, output, steady_axes(stage.axes), budget);
}

}  // namespace convlens::viewer
