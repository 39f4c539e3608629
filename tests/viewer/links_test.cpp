// What lights up, against a search through every cell of every stage by nothing but its sources.
#include "viewer/logic/links.h"

#include <set>

#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/default_sheet.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using Cells = std::set<Coord>;

void add(Cells& cells, const Box& box) {
  testing::for_each(box, [&](const Coord& at) { cells.insert(at); });
}

bool meets(const Cells& cells, const Box& box) {
  bool found = false;
  testing::for_each(box, [&](const Coord& at) { found = found || cells.contains(at); });
  return found;
}

// What a cell is made of, by the sources alone.
struct Elements {
  Cells x, w;

  void follow(const Plan& plan, const Stage& stage, const Coord& cell) {
    for (const Term& term : stage.map->source(cell).terms) {
      if (term.from == kInput) add(x, term.at);
      if (term.from == kFilter) add(w, term.at);
      if (term.from.id >= 0)
        testing::for_each(
            term.at, [&](const Coord& at) { follow(plan, plan.stages()[static_cast<std::size_t>(term.from.id)], at); });
    }
  }
};

// Of an output, by the definition of the convolution.
Elements elements_of_output(const ConvProblem& p, const Coord& y) {
  Elements elements;
  for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v) {
        elements.w.insert({y[1], c, u, v});
        const std::int64_t h = p.input_row(y[2], u), w = p.input_column(y[3], v);
        if (h >= 0 && h < p.hi() && w >= 0 && w < p.wi())
          elements.x.insert({y[0], p.group_of_output(y[1]) * p.ci_per_group() + c, h, w});
      }
  return elements;
}

Elements elements_of(const Model& model, const Cursor& cursor) {
  const Exhibit& exhibit = *model.find(cursor.tensor);
  Elements elements;
  if (exhibit.role == Role::input) elements.x = {cursor.at};
  if (exhibit.role == Role::filter) elements.w = {cursor.at};
  if (exhibit.role == Role::blocks)
    if (const auto element = model.element_of_block(cursor.at)) elements.w = {*element};
  if (exhibit.role == Role::output) elements = elements_of_output(*model.problem(), cursor.at);
  if (exhibit.role == Role::stage)
    elements.follow(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan, model.stage(exhibit), cursor.at);
  return elements;
}

bool made_of_filter(const Plan& plan, const Stage& stage) {
  return std::ranges::all_of(stage.made_from, [&](Operand from) {
    return from == kFilter || (from.id >= 0 && made_of_filter(plan, plan.stages()[static_cast<std::size_t>(from.id)]));
  });
}

bool serves(const Stage& stage, const Coord& cell, const Coord& output) {
  return std::ranges::any_of(stage.map->outputs(cell), [&](const Box& box) { return box.contains(output); });
}

// The cells of all stages of `plan` that hold one of the elements, or are made from cells that do; for an output also
// whatever it is computed from without sharing an element with it: zeros of the padding, tiles around it.
std::vector<Cells> holders(const Plan& plan, const Elements& elements, const Coord* output) {
  std::vector<Cells> lit;
  for (const Stage& stage : plan.stages()) {
    lit.emplace_back();
    if (stage.map == nullptr) continue;
    const bool of_input = !made_of_filter(plan, stage);
    testing::for_each(Box{{}, testing::extents(stage)}, [&](const Coord& cell) {
      if (output != nullptr && of_input && serves(stage, cell, *output)) lit.back().insert(cell);
      for (const Term& term : stage.map->source(cell).terms) {
        const Cells& wanted = term.from == kInput    ? elements.x
                              : term.from == kFilter ? elements.w
                                                     : lit[static_cast<std::size_t>(term.from.id)];
        if (meets(wanted, term.at)) {
          lit.back().insert(cell);
          return;
        }
      }
    });
  }
  return lit;
}

// Copies in another order, which rows read in place of what their maps name.
bool is_copy(const Stage& stage) { return stage.stored && (stage.id == "nhwc" || stage.id == "panels"); }

// The cells of `plan` on the way of one of its own: those that it is made of, step by step, and those made of it.
std::vector<Cells> on_the_way(const Plan& plan, std::size_t first, const Coord& at, const Elements& elements) {
  std::vector<Cells> below(plan.stages().size()), above(plan.stages().size());
  below[first] = above[first] = {at};
  for (std::size_t s = first + 1; s-- > 0;)
    for (const Coord& cell : below[s])
      for (const Term& term : plan.stages()[s].map->source(cell).terms)
        if (term.from.id >= 0) add(below[static_cast<std::size_t>(term.from.id)], term.at);
  // What a copy is a copy of goes where the copy does.
  const Stage& own = plan.stages()[first];
  const Operand copied = is_copy(own) ? own.made_from.front() : Operand{static_cast<int>(first)};
  std::vector<Cells> reached = above;
  if (copied.id >= 0) reached[static_cast<std::size_t>(copied.id)] = below[static_cast<std::size_t>(copied.id)];
  for (std::size_t s = 0; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    if (stage.map == nullptr || s == first) continue;
    testing::for_each(Box{{}, testing::extents(stage)}, [&](const Coord& cell) {
      for (const Term& term : stage.map->source(cell).terms)
        if (term.from.id >= 0 ? meets(reached[static_cast<std::size_t>(term.from.id)], term.at)
                              : term.from == copied && meets(elements.x, term.at))
          above[s].insert(cell), reached[s].insert(cell);
    });
  }
  for (std::size_t s = 0; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    if (s == first || !is_copy(stage) || stage.made_from.front().id == static_cast<int>(first)) continue;
    const Operand from = stage.made_from.front();
    const Cells& wanted = from == kInput    ? elements.x
                          : from == kFilter ? elements.w
                                            : below[static_cast<std::size_t>(from.id)];
    testing::for_each(Box{{}, testing::extents(stage)}, [&](const Coord& cell) {
      for (const Term& term : stage.map->source(cell).terms)
        if (meets(wanted, term.at)) below[s].insert(cell);
    });
  }
  for (std::size_t s = 0; s < below.size(); ++s) below[s].insert(above[s].begin(), above[s].end());
  return below;
}

Cells lit_cells(const Links& links, const std::string& id) {
  Cells cells;
  if (const auto found = links.cells.find(id); found != links.cells.end())
    for (const Box& box : found->second) add(cells, box);
  return cells;
}

// The first cell that is lit and should not be, or is not and should be; "".
std::string difference(const Cells& lit, const Cells& expected) {
  for (const Coord& cell : lit)
    if (!expected.contains(cell)) return testing::text(cell) + " is lit, of " + std::to_string(lit.size());
  for (const Coord& cell : expected)
    if (!lit.contains(cell)) return testing::text(cell) + " is not lit";
  return "";
}

void check_cursor(const Model& model, const Cursor& cursor) {
  INFO("cursor " << cursor.tensor << testing::text(cursor.at));
  const Links links = links_of(model, cursor);
  const Elements elements = elements_of(model, cursor);
  CHECK(links.complete);
  if (cursor.tensor != "x") CHECK(difference(lit_cells(links, "x"), elements.x) == "");
  if (cursor.tensor != "w") CHECK(difference(lit_cells(links, "w"), elements.w) == "");
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    if (!model.rows()[r].plan) continue;
    const Exhibit& pointed = *model.find(cursor.tensor);
    const bool own = pointed.row == static_cast<int>(r);
    const std::vector<Cells> lit =
        own ? on_the_way(*model.rows()[r].plan, static_cast<std::size_t>(pointed.stage), cursor.at, elements)
            : holders(*model.rows()[r].plan, elements, pointed.role == Role::output ? &cursor.at : nullptr);
    for (const Exhibit& exhibit : model.exhibits()) {
      if (exhibit.row != static_cast<int>(r) || exhibit.id == cursor.tensor) continue;
      INFO("lit in " << exhibit.id);
      CHECK(difference(lit_cells(links, exhibit.id), lit[static_cast<std::size_t>(exhibit.stage)]) == "");
      // Of two stages the later one is made of the other; a copy comes right after what it is a copy of.
      const auto order = [&](const Exhibit& of) {
        const Stage& stage = model.stage(of);
        return is_copy(stage) ? stage.made_from.front().id + 0.5 : of.stage;
      };
      const Tie beside = own && order(exhibit) < order(pointed) ? Tie::source : Tie::destination;
      if (own && !lit_cells(links, exhibit.id).empty()) CHECK(links.ties.at(exhibit.id) == beside);
      if (!own && pointed.role == Role::stage) CHECK(links.ties.at(exhibit.id) == Tie::elsewhere);
    }
  }
  CHECK(lit_cells(links, cursor.tensor) == Cells{cursor.at});
}

// Layers of every kind, small enough that every cell can be asked.
std::vector<ConvSpec> small_layers() {
  using testing::padded;
  std::vector<ConvSpec> layers{
      padded(1, {.n = 2, .ci = 2, .hi = 5, .wi = 4, .co = 2, .hf = 3, .wf = 3}),
      {.ci = 4, .hi = 6, .wi = 5, .co = 4, .hf = 2, .wf = 3, .stride_h = 2, .groups = 2},
      {.ci = 2, .hi = 7, .wi = 7, .co = 3, .hf = 3, .wf = 2, .pad_left = 2, .dilation_h = 2, .dilation_w = 3},
      {.hi = 6, .wi = 7, .hf = 2, .wf = 1, .stride_h = 4, .stride_w = 3},
      padded(3, {.ci = 3, .hi = 4, .wi = 4, .co = 3, .hf = 3, .wf = 3, .groups = 3, .bias = true}),
      {.n = 2, .ci = 2, .co = 2}};
  for (std::uint64_t k = 0; k < 6; ++k) layers.push_back(testing::random_problem(31, k, 6, 1500).spec());
  return layers;
}

}  // namespace

TEST_CASE("what lights up in every tensor of every row is what the index maps say") {
  std::uint64_t number = 0;
  for (const ConvSpec& spec : small_layers())
    for (const std::string& run : testing::all_runs()) {
      const Model model(testing::state_of(spec, {run}));
      if (model.exhibits().size() < 4) continue;  // no stage of its own
      INFO(run << " on " << testing::text({spec.ci, spec.hi, spec.wi, spec.hf, spec.wf, spec.groups}));
      for (const Exhibit& exhibit : model.exhibits())
        if (exhibit.cells() > 0) check_cursor(model, {exhibit.id, testing::some_cell(exhibit, 77, ++number)});
    }
}

TEST_CASE("of two rows the one pointed at lights its own way, and the other the same place") {
  std::uint64_t number = 0;
  for (const ConvSpec& spec : small_layers()) {
    const Model model(testing::state_of(spec, {"winograd.ref", "fft.cc", "im2col.ref", "winograd.cc"}));
    for (const Exhibit& exhibit : model.exhibits())
      if (exhibit.cells() > 0) check_cursor(model, {exhibit.id, testing::some_cell(exhibit, 78, ++number)});
  }
}

TEST_CASE("products light their own point's inputs and filters, and those no other tile's products") {
  const Model model(testing::state_of(
      testing::padded(1, {.n = 1, .ci = 3, .hi = 20, .wi = 20, .co = 7, .hf = 3, .wf = 3}), {"winograd.ref"}));
  const Links m = links_of(model, {"winograd.ref/M", {1, 2, 0, 3, 4, 5}});
  CHECK(m.cells.at("winograd.ref/V") == std::vector<Box>{{{1, 2, 0, 3, 4, 0}, {1, 1, 1, 1, 1, 3}}});
  CHECK(m.cells.at("winograd.ref/U") == std::vector<Box>{{{1, 2, 5, 0}, {1, 1, 1, 3, 1, 1}}});
  const Links v = links_of(model, {"winograd.ref/V", {1, 2}});
  CHECK(v.cells.at("winograd.ref/M") == std::vector<Box>{{{1, 2, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 7}}});
  CHECK(v.cells.at("winograd.ref/U").empty());
  CHECK(v.ties.at("winograd.ref/M") == Tie::destination);
}

TEST_CASE("the outputs that light up for an element are those whose window holds it") {
  for (std::uint64_t k = 0; k < 40; ++k) {
    const ConvProblem p = testing::random_problem(32, k, 7, 3000);
    const Model model(testing::state_of(p.spec(), {}));
    if (p.n() == 0) continue;
    const Coord x = testing::some_cell(*model.find("x"), 33, k), w = testing::some_cell(*model.find("w"), 34, k);
    Cells of_x, of_w;
    testing::for_each(testing::whole(*model.find("y")), [&](const Coord& y) {
      const Elements elements = elements_of_output(p, y);
      if (elements.x.contains(x)) of_x.insert(y);
      if (elements.w.contains(w)) of_w.insert(y);
    });
    CHECK(difference(lit_cells(links_of(model, {"x", x}), "y"), of_x) == "");
    CHECK(difference(lit_cells(links_of(model, {"w", w}), "y"), of_w) == "");
  }
}

TEST_CASE("an output that lights up for a stage's cell reads something that the cell is made of") {
  std::uint64_t number = 0;
  for (const ConvSpec& spec : small_layers()) {
    const Model model(testing::state_of(spec, testing::all_runs()));
    for (const Exhibit& exhibit : model.exhibits()) {
      if (exhibit.role != Role::stage || exhibit.cells() == 0) continue;
      const Cursor cursor{exhibit.id, testing::some_cell(exhibit, 35, ++number)};
      const Elements elements = elements_of(model, cursor);
      // Padding is made of nothing, and what a transform mixes is part of every output of its tile.
      if (links_of(model, cursor).kind != SourceKind::element) continue;
      INFO(exhibit.id << testing::text(cursor.at));
      for (const Coord& y : lit_cells(links_of(model, cursor), "y")) {
        const Elements read = elements_of_output(*model.problem(), y);
        const auto shared = [](const Cells& a, const Cells& b) {
          return std::ranges::any_of(a, [&](const Coord& at) { return b.contains(at); });
        };
        CHECK((shared(elements.x, read.x) || shared(elements.w, read.w)));
      }
    }
  }
}

TEST_CASE("of what lights up for an output, what the output is computed from is told apart from further copies") {
  std::uint64_t number = 0;
  for (const ConvSpec& spec : small_layers())
    for (const std::string& run : testing::all_runs()) {
      const Model model(testing::state_of(spec, {run}));
      if (model.exhibits().size() < 4 || model.find("y")->cells() == 0) continue;
      const Cursor cursor{"y", testing::some_cell(*model.find("y"), 36, ++number)};
      const Links links = links_of(model, cursor);
      for (const Exhibit& exhibit : model.exhibits()) {
        if (exhibit.role != Role::stage) continue;
        INFO(exhibit.id << " for y" << testing::text(cursor.at));
        Cells expected, used;
        const Stage& stage = model.stage(exhibit);
        const bool of_filter = made_of_filter(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan, stage);
        testing::for_each(testing::whole(exhibit), [&](const Coord& cell) {
          if (serves(stage, cell, cursor.at) && (!of_filter || links.lit(exhibit.id, cell))) expected.insert(cell);
        });
        for (const Box& box : links.used.at(exhibit.id)) add(used, box);
        CHECK(difference(used, expected) == "");
      }
    }
}

TEST_CASE("a grouped layer's filter lights up in its block between all channels, and its zeros are no element") {
  const ConvSpec spec{.ci = 6, .hi = 5, .wi = 5, .co = 4, .hf = 2, .wf = 3, .groups = 2};
  const Model model(testing::state_of(spec, {"im2col.ref"}));
  const Exhibit* blocks = model.find("w_blocks");
  REQUIRE(blocks != nullptr);
  CHECK(default_sheet(*blocks, {}).rows() == 4);
  CHECK(default_sheet(*blocks, {}).columns() == 6 * 2 * 3);
  std::int64_t elements = 0;
  testing::for_each(testing::whole(*blocks), [&](const Coord& at) {
    const std::optional<Coord> element = model.element_of_block(at);
    CHECK(element.has_value() == (at[0] / 2 == at[1] / 3));
    const Links links = links_of(model, {"w_blocks", at});
    CHECK(links.terms.size() == (element ? 1u : 0u));
    CHECK(links.cells.at("y").empty() == !element.has_value());
    if (!element) return;
    ++elements;
    CHECK(lit_cells(links_of(model, {"w", *element}), "w_blocks") == Cells{at});
    CHECK(lit_cells(links, "w") == Cells{*element});
  });
  CHECK(elements == model.find("w")->cells());
  CHECK(Model(testing::state_of({.ci = 2, .co = 2}, {})).find("w_blocks") == nullptr);
}

TEST_CASE("a window of very many taps is one box that holds what its taps read") {
  const ConvProblem p({.ci = 2, .hi = 200, .wi = 190, .co = 1, .hf = 150, .wf = 140, .pad_top = 70, .pad_left = 9});
  const std::vector<Box> boxes = window_of_output(p, {0, 0, 3, 5});
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].size() == 2 * (150 - 67) * (140 - 4));
  CHECK(boxes[0].contains({0, 1, 0, 0}));
  CHECK(boxes[0].contains({0, 0, 3 + 149 - 70, 5 + 139 - 9}));
  CHECK_FALSE(boxes[0].contains({0, 0, 3 + 150 - 70, 0}));
  const ConvProblem huge({.hi = 16384, .wi = 16384, .hf = 16384, .wf = 16384});
  CHECK(window_of_output(huge, {}).size() == 1);
}

TEST_CASE("a cursor anywhere is moved into the tensors that there are") {
  const Model model(testing::state_of({.n = 2, .ci = 3, .hi = 5, .wi = 6, .co = 4, .hf = 3, .wf = 3}, {"im2win.ref"}));
  CHECK(model.valid({"y", {9, 9, 9, 9, 9, 9}}) == Cursor{"y", {1, 3, 2, 3, 0, 0}});
  CHECK(model.valid({"x", {-1, -1, -1, -1}}) == Cursor{"x", {}});
  CHECK(model.valid({"gone.ref/stage", {1, 1, 1, 1}}).tensor == "y");
  for (const Exhibit& exhibit : model.exhibits()) {
    const Cursor far{exhibit.id, {99, 99, 99, 99, 99, 99}};
    CHECK(model.valid(model.valid(far)) == model.valid(far));
    CHECK(testing::whole(exhibit).contains(model.valid(far).at));
  }
}

TEST_CASE("where tensors have more cells than can be told, links say that they are incomplete") {
  const Model model(testing::state_of(
      testing::padded(8, {.n = 1, .ci = 512, .hi = 64, .wi = 64, .co = 512, .hf = 17, .wf = 17}), {"im2col.ref"}));
  const Links links = links_of(model, {"x", {0, 100, 30, 30}});
  for (const auto& [id, boxes] : links.cells) CHECK(boxes.size() <= kMostBoxes);
}
