// The laws of index maps, for every stage of every row of the registry, on random layers:
//
//   1  c ∈ cells(s) ⇔ s ∈ sources(c), for every operand a stage is made from; no pair is listed twice
//   2  no element that some output uses is lost, and each gather stage reads it exactly once an output: for every
//      output y, the cells c with y ∈ outputs(c) copy precisely the elements that y's definition multiplies, and hold
//      one zero for each of its padding taps, or none at all (a stage that is the input itself)
//   3  outputs(a) of a cell that a later stage is made from is the union of outputs(b) over the cells b made from it
//   4  whatever a stage does, the outputs of the cells made from s include all that use s
#include <algorithm>
#include <map>
#include <set>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/boxes.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

constexpr int kProblems = 500;

Coord extents_of(const Plan& plan, Operand from) {
  if (from == kInput) return extents(plan.problem().x_shape());
  if (from == kFilter) return extents(plan.problem().w_shape());
  return extents(plan.stages()[static_cast<std::size_t>(from.id)]);
}

// What one stage's map says, asked cell by cell once.
struct Answers {
  const Stage& stage;
  Coord extent;
  std::vector<Source> sources;            // by flat cell
  std::vector<std::vector<Box>> outputs;  // by flat cell

  explicit Answers(const Stage& s) : stage(s), extent(extents(s)) {
    const int row_axis = static_cast<int>(s.axes.size()) - 1;
    Box row_starts{{}, extent};
    const std::int64_t length = extent[static_cast<std::size_t>(row_axis)];
    row_starts.extent[static_cast<std::size_t>(row_axis)] = length > 0 ? 1 : 0;
    for_each(row_starts, [&](const Coord& first) {
      for (Source& source : s.map->sources(first, row_axis, length)) sources.push_back(std::move(source));
    });
    for_each(Box{{}, extent}, [&](const Coord& cell) { outputs.push_back(s.map->outputs(cell)); });
  }
  bool gathers_from(Operand operand) const {
    for (const Source& source : sources)
      if (source.kind == SourceKind::combination || source.kind == SourceKind::region) return false;
    return !stage.complex && stage.made_from == std::vector{operand};  // a spectrum of padding alone is no copy
  }
};

// Law 1. The pairs of both sides are counted, each pair of one is looked up in the other, and none may come twice.
void sources_and_cells_agree(const Plan& plan, const Answers& answers) {
  std::map<int, std::int64_t> pairs;  // by operand
  std::int64_t number = 0;
  for_each(Box{{}, answers.extent}, [&](const Coord& cell) {
    const Source& source = answers.sources[static_cast<std::size_t>(number++)];
    const bool empty = source.kind == SourceKind::zero_padding || source.kind == SourceKind::alignment_padding;
    if (empty != source.terms.empty()) FAIL("cell " << text(cell) << ": terms do not fit its kind");
    if (source.kind == SourceKind::element &&
        (source.terms.size() != 1 || source.terms[0].at.size() != 1 || !(source.terms[0].coefficient == Rational(1))))
      FAIL("cell " << text(cell) << ": an element must be one term with coefficient 1");
    for (const Term& term : source.terms) {
      if (std::ranges::find(answers.stage.made_from, term.from) == answers.stage.made_from.end())
        FAIL("cell " << text(cell) << ": a source that made_from does not name");
      if (!within(term.at, extents_of(plan, term.from)))
        FAIL("cell " << text(cell) << ": source " << text(term.at.first) << " outside its tensor");
      if (source.kind == SourceKind::combination && term.coefficient.zero())
        FAIL("cell " << text(cell) << ": a term with coefficient 0");
      pairs[term.from.id] += term.at.size();
    }
  });

  for (const Operand from : answers.stage.made_from) {
    std::vector<std::int64_t> last_seen(answers.sources.size(), -1);
    std::int64_t found = 0, element_number = 0;
    for_each(Box{{}, extents_of(plan, from)}, [&](const Coord& element) {
      for (const Box& box : answers.stage.map->cells(from, element)) {
        if (!within(box, answers.extent))
          FAIL("element " << text(element) << ": cells outside the stage, at " << text(box.first));
        for_each(box, [&](const Coord& cell) {
          const auto index = static_cast<std::size_t>(flat(cell, answers.extent));
          if (last_seen[index] == element_number) FAIL("cell " << text(cell) << " twice in cells" << text(element));
          last_seen[index] = element_number;
          ++found;
          for (const Term& term : answers.sources[index].terms)
            if (term.from == from && term.at.contains(element)) return;
          FAIL("cell " << text(cell) << " is in cells" << text(element) << ", which is not among its sources");
        });
      }
      ++element_number;
    });
    if (found != pairs[from.id])
      FAIL("operand " << from.id << ": " << pairs[from.id] << " pairs by sources, " << found << " by cells");
  }
}

// What the definition of the convolution says: calls visit(output, element, or nothing where it is padding).
template <class Visit>
void definition(const ConvProblem& p, Operand from, Visit&& visit) {
  for_each(Box{{}, extents(p.y_shape())}, [&](const Coord& y) {
    const auto [n, o, row, column, unused4, unused5] = y;
    for_each(Box{{}, {p.ci_per_group(), p.hf(), p.wf(), 1, 1, 1}}, [&](const Coord& tap) {
      const std::int64_t c = p.group_of_output(o) * p.ci_per_group() + tap[0];
      const std::int64_t h = p.input_row(row, tap[1]), w = p.input_column(column, tap[2]);
      const Coord weight{o, tap[0], tap[1], tap[2]}, pixel{n, c, h, w};
      const bool inside = h >= 0 && h < p.hi() && w >= 0 && w < p.wi();
      visit(y, from == kFilter ? &weight : inside ? &pixel : nullptr);
    });
  });
}

// Laws 2 and 4, for a stage made from the input or the filter alone.
void outputs_follow_the_definition(const Plan& plan, const Answers& answers, Operand from) {
  const ConvProblem& p = plan.problem();
  const Coord y_extent = extents(p.y_shape()), element_extent = extents_of(plan, from);
  const std::int64_t elements = Box{{}, element_extent}.size(),
                     all_outputs = elements == 0 ? 0 : Box{{}, y_extent}.size();
  std::vector<int> used(static_cast<std::size_t>(all_outputs * elements)),
      padding(static_cast<std::size_t>(all_outputs));
  const bool gathers = answers.gathers_from(from);

  for (std::size_t cell = 0; cell < answers.sources.size(); ++cell)
    for (const Box& box : answers.outputs[cell]) {
      if (!within(box, y_extent)) FAIL("outputs of cell " << cell << " outside y, at " << text(box.first));
      for_each(box, [&](const Coord& y) {
        const std::int64_t output = flat(y, y_extent);
        for (const Term& term : answers.sources[cell].terms)
          for_each(term.at, [&](const Coord& e) {
            ++used[static_cast<std::size_t>(output * elements + flat(e, element_extent))];
          });
        if (answers.sources[cell].kind == SourceKind::zero_padding) ++padding[static_cast<std::size_t>(output)];
      });
    }

  const bool stores_padding = std::ranges::any_of(padding, [](int count) { return count > 0; });
  if (!gathers) padding.assign(padding.size(), 0);
  definition(p, from, [&](const Coord& y, const Coord* element) {
    const std::int64_t output = flat(y, y_extent);
    if (element == nullptr) {
      padding[static_cast<std::size_t>(output)] -= gathers && stores_padding;
      return;
    }
    int& count = used[static_cast<std::size_t>(output * elements + flat(*element, element_extent))];
    if (count == 0) FAIL("y" << text(y) << " uses " << text(*element) << ", which no cell brings it");
    if (gathers) --count;
  });
  if (!gathers) return;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k] != 0)
      FAIL("output " << k / static_cast<std::size_t>(elements)
                     << " is brought an element that it does not use, or one twice");
  for (int count : padding)
    if (count != 0) FAIL("an output does not meet each of its padding zeros once");
}

// Law 3.
void outputs_compose(const Plan& plan, int earlier, const std::map<int, Answers>& answers) {
  const Answers& a = answers.at(earlier);
  const Coord y_extent = extents(plan.problem().y_shape());
  const auto marked = [&](std::set<std::int64_t>& set, const std::vector<Box>& boxes) {
    for (const Box& box : boxes) for_each(box, [&](const Coord& y) { set.insert(flat(y, y_extent)); });
  };
  std::int64_t number = 0;
  for_each(Box{{}, a.extent}, [&](const Coord& cell) {
    std::set<std::int64_t> direct, composed;
    marked(direct, a.outputs[static_cast<std::size_t>(number++)]);
    bool used = false;
    for (const auto& [later, b] : answers)
      if (std::ranges::find(b.stage.made_from, stage_operand(earlier)) != b.stage.made_from.end()) {
        used = true;
        for (const Box& box : b.stage.map->cells(stage_operand(earlier), cell))
          for_each(box,
                   [&](const Coord& c) { marked(composed, b.outputs[static_cast<std::size_t>(flat(c, b.extent))]); });
      }
    if (used && direct != composed)
      FAIL("outputs of cell " << text(cell) << " are not those of the cells made from it");
  });
}

void laws_hold(const Plan& plan) {
  std::map<int, Answers> answers;
  for (std::size_t k = 0; k < plan.stages().size(); ++k)
    if (plan.stages()[k].map) answers.emplace(static_cast<int>(k), Answers(plan.stages()[k]));
  for (const auto& [k, a] : answers) {
    INFO("stage " << a.stage.id);
    sources_and_cells_agree(plan, a);
    for (const Operand from : {kInput, kFilter})
      if (a.stage.made_from == std::vector{from}) outputs_follow_the_definition(plan, a, from);
    outputs_compose(plan, k, answers);
  }
}

// A variant of the row: for each option with listed values, one of them at random.
OptionSet random_options(const Algorithm& row, std::uint64_t index) {
  OptionSet options = OptionSet::parse("", row.options);
  std::uint64_t counter = index << 8;
  for (const Option& option : row.options)
    if (!option.values.empty())
      options.set(option.id, option.values[static_cast<std::size_t>(random_integer(
                                 7, counter++, 0, static_cast<std::int64_t>(option.values.size()) - 1))]);
  return options;
}

}  // namespace

TEST_CASE("every stage's map keeps the laws on 500 random layers") {
  for (const Algorithm* row : algorithms()) {
    if (row->vendor) continue;  // its stage is opaque
    if (const std::string why = row->missing ? row->missing() : ""; !why.empty()) {
      WARN(row->id << " cannot be planned: " << why);
      continue;
    }
    DYNAMIC_SECTION(row->id) {
      int checked = 0;
      for (std::uint64_t index = 0; checked < kProblems; ++index) {
        REQUIRE(index < 100 * kProblems);  // the row must support enough of what is drawn
        Request request{random_problem(11, index, 8, 1500)};
        request.options = random_options(*row, index);
        Support support = row->supports(request);
        if (!support && support.nearest) {
          request = *support.nearest;
          support = row->supports(request);
        }
        if (!support || request.problem.multiplications() > 6000) continue;
        INFO(row->id << " on layer " << index);
        laws_hold(*row->plan(request));
        ++checked;
      }
    }
  }
}
