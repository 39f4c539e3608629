// The index maps of V, U and M: they agree with themselves, with the program, and with the definition.
#include "algorithms/winograd/winograd_map.h"

#include <set>
#include <tuple>

#include "algorithms/interface/tensor_maps.h"
#include "algorithms/winograd/winograd_stages.h"
#include "tests/winograd/harness.h"

using namespace winograd_test;

namespace {

template <class Visit>
void for_each_in(const Box& box, Visit&& visit) {
  Coord at = box.first;
  if (box.size() == 0) return;
  while (true) {
    visit(at);
    int axis = kMaxRank - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++at[a] < box.first[a] + box.extent[a]) break;
      at[a] = box.first[a];
    }
    if (axis < 0) return;
  }
}

Box whole(const Stage& stage) {
  Box box;
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) box.extent[axis] = stage.axes[axis].extent;
  return box;
}
Box whole(const Shape& shape) { return {{}, {shape[0], shape[1], shape[2], shape[3], 1, 1}}; }

// The elements of an operand: the input, the filter or an earlier stage.
Box elements_of(Operand from, const Plan& plan) {
  if (from == kInput) return whole(plan.problem().x_shape());
  if (from == kFilter) return whole(plan.problem().w_shape());
  return whole(plan.stages()[static_cast<std::size_t>(from.id)]);
}

using Pair = std::tuple<int, Coord, Coord>;  // operand, element, cell

std::set<Pair> pairs_by_sources(const Stage& stage) {
  std::set<Pair> pairs;
  for_each_in(whole(stage), [&](const Coord& cell) {
    for (const Term& term : stage.map->source(cell).terms)
      for_each_in(term.at, [&](const Coord& element) { pairs.insert({term.from.id, element, cell}); });
  });
  return pairs;
}
std::set<Pair> pairs_by_cells(const Stage& stage, const Plan& plan) {
  std::set<Pair> pairs;
  for (Operand from : stage.made_from)
    for_each_in(elements_of(from, plan), [&](const Coord& element) {
      for (const Box& box : stage.map->cells(from, element))
        for_each_in(box, [&](const Coord& cell) {
          REQUIRE(whole(stage).contains(cell));
          REQUIRE(pairs.insert({from.id, element, cell}).second);  // no cell twice
        });
    });
  return pairs;
}

std::set<Coord> outputs_of(const AnyMap& map, const Coord& cell, const ConvProblem& p) {
  std::set<Coord> outputs;
  for (const Box& box : map.outputs(cell))
    for_each_in(box, [&](const Coord& output) {
      REQUIRE(whole(p.y_shape()).contains(output));
      REQUIRE(outputs.insert(output).second);
    });
  return outputs;
}

ConvSpec small_spec(std::uint64_t seed) {
  ConvSpec spec = random_spec(seed);
  spec.n = seed % 7 == 0 ? 0 : 1 + seed % 2;
  spec.groups = 1 + seed % 2;
  spec.ci = spec.groups * (1 + seed / 2 % 2);
  spec.co = spec.groups * (1 + seed / 4 % 2);
  spec.hf = 1 + seed / 3 % 3;
  spec.wf = spec.hf == 1 ? 3 : 1 + seed / 5 % 3;
  spec.hi = spec.hf + seed / 2 % 4;
  spec.wi = spec.wf + seed / 3 % 4;
  spec.pad_top %= 3, spec.pad_bottom %= 2, spec.pad_left %= 2, spec.pad_right %= 3;
  return spec;
}

std::string options_of(std::uint64_t seed) { return "m=" + std::to_string(1 + seed % 4); }

}  // namespace

TEST_CASE("c is in cells(s) exactly when s is in sources(c), for V, U and M of 500 random problems") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Request request = request_of(small_spec(seed), DType::f32, options_of(seed));
    CAPTURE(describe(request));
    const auto plan = winograd_ref().plan(request);
    for (const Stage& stage : plan->stages()) {
      CAPTURE(stage.id);
      REQUIRE(pairs_by_sources(stage) == pairs_by_cells(stage, *plan));
    }
  }
}

TEST_CASE("a cell of V is padding exactly when every element it would combine lies outside the image") {
  const auto plan = winograd_ref().plan(
      request_of({.hi = 4, .wi = 3, .hf = 3, .wf = 3, .pad_top = 3, .pad_left = 4, .pad_right = 2}));
  const Stage& v = plan->stages()[0];
  std::int64_t padding = 0;
  for_each_in(whole(v), [&](const Coord& cell) {
    const Source source = v.map->source(cell);
    CHECK((source.kind == SourceKind::zero_padding) == source.terms.empty());
    CHECK((source.kind == SourceKind::combination) == !source.terms.empty());
    padding += source.terms.empty() ? 1 : 0;
  });
  CHECK(padding > 0);
}

TEST_CASE("V and U in memory are what their maps say, exactly") {
  for (DType dtype : kDTypes)
    for (const char* options : {"m=2", "m=4", "m=2,stored=tensor", "m=4,stored=tensor"}) {
      const Request request = request_of(
          {.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 2}, dtype, options);
      CAPTURE(describe(request));
      const auto plan = winograd_ref().plan(request);
      const Tensors data(request, integers(1, request.problem.x_shape(), 2),
                         integers(2, request.problem.w_shape(), 1, 9));
      const Outcome outcome = run(*plan, data);
      for (int k : {0, 1}) {
        const Stage& stage = plan->stages()[static_cast<std::size_t>(k)];
        const ConstTensorView from = k == 0 ? std::as_const(data.x).view() : std::as_const(data.w).view();
        const std::byte* buffer = outcome.workspace.data() + plan->workspace()[static_cast<std::size_t>(k)].offset;
        for_each_in(whole(stage), [&](const Coord& cell) {
          Rational expected;
          for (const Term& term : stage.map->source(cell).terms) {
            const auto [a, b, c, d, unused4, unused5] = term.at.first;
            expected = expected + term.coefficient * Rational(static_cast<std::int64_t>(element(from, a, b, c, d)));
          }
          const double stored = visit(stage.dtype, [&]<class T>() {
            return static_cast<double>(reinterpret_cast<const T*>(buffer)[stage.offset(cell)]);
          });
          REQUIRE(stored == expected.value());
        });
      }
    }
}

TEST_CASE("what an element reaches through V or U covers the outputs that depend on it, and stays in their tiles") {
  for (std::uint64_t seed = 501; seed <= 540; ++seed) {
    const Request request = request_of(small_spec(seed), DType::f32, options_of(seed));
    const ConvProblem& p = request.problem;
    CAPTURE(describe(request));
    const auto plan = winograd_ref().plan(request);
    const ErrorModel& model = plan->error_model();
    const auto tile = [&](const Coord& y) { return Coord{y[0], y[1], y[2] / model.tile_h, y[3] / model.tile_w}; };
    const auto direct = erase(InputMap(p));
    const Stage& v = plan->stages()[0];
    for_each_in(whole(p.x_shape()), [&](const Coord& element) {
      const std::set<Coord> needed = outputs_of(*direct, element, p);
      std::set<Coord> reached, tiles;
      for (const Coord& output : needed) tiles.insert(tile(output));
      for (const Box& box : v.map->cells(kInput, element))
        for_each_in(box, [&](const Coord& cell) { reached.merge(outputs_of(*v.map, cell, p)); });
      REQUIRE(std::includes(reached.begin(), reached.end(), needed.begin(), needed.end()));
      for (const Coord& output : reached) REQUIRE(tiles.contains(tile(output)));
    });

    const Stage& u = plan->stages()[1];
    for_each_in(whole(p.w_shape()), [&](const Coord& element) {
      std::set<Coord> reached;
      for (const Box& box : u.map->cells(kFilter, element))
        for_each_in(box, [&](const Coord& cell) { reached.merge(outputs_of(*u.map, cell, p)); });
      REQUIRE(static_cast<std::int64_t>(reached.size()) == p.n() * p.ho() * p.wo());
    });
  }
}

TEST_CASE("a product reaches the outputs whose row of A it is in, and its factors reach the same") {
  const Request request =
      request_of({.n = 2, .ci = 4, .hi = 6, .wi = 7, .co = 6, .hf = 3, .wf = 3, .groups = 2}, DType::f32, "m=4");
  const auto plan = winograd_ref().plan(request);
  const Nested nested = nest(plan->request());
  const Stage &v = plan->stages()[0], &m = plan->stages()[2];
  for_each_in(whole(m), [&](const Coord& cell) {
    const auto [xi, nu, n, t, s, o] = cell;
    std::set<Coord> expected;
    for (std::int64_t p = 0; p < nested.rows.kept(t); ++p)
      for (std::int64_t q = 0; q < nested.columns.kept(s); ++q)
        if (!nested.h.at(p, xi).zero() && !nested.w.at(q, nu).zero()) expected.insert({n, o, 4 * t + p, 4 * s + q});
    REQUIRE(outputs_of(*m.map, cell, request.problem) == expected);
    const std::set<Coord> of_v = outputs_of(*v.map, {xi, nu, n, t, s, o / 3 * 2}, request.problem);
    REQUIRE(std::includes(of_v.begin(), of_v.end(), expected.begin(), expected.end()));
  });
}

TEST_CASE("y, as what is made of M, has the matrix A for coefficients, and its map agrees with itself") {
  const Request request =
      request_of({.n = 2, .ci = 4, .hi = 6, .wi = 7, .co = 6, .hf = 3, .wf = 2, .groups = 2}, DType::f32, "m=4");
  const ConvProblem& problem = request.problem;
  const auto plan = winograd_ref().plan(request);
  const auto nested = std::make_shared<const Nested>(nest(plan->request()));
  const auto map = winograd_output(problem, nested);
  std::set<std::pair<Coord, Coord>> by_sources, by_cells;
  for_each_in(whole(problem.y_shape()), [&](const Coord& y) {
    const Source source = map->source(y);
    REQUIRE(source.kind == SourceKind::combination);
    for (const Term& term : source.terms) {
      const auto [xi, nu, n, t, s, o] = term.at.first;
      REQUIRE(Coord{n, o, t, s} == Coord{y[0], y[1], y[2] / 4, y[3] / 4});
      REQUIRE(term.coefficient == nested->h.at(y[2] % 4, xi) * nested->w.at(y[3] % 4, nu));
      by_sources.emplace(term.at.first, y);
    }
    REQUIRE(map->outputs(y) == std::vector<Box>{Box::cell(y)});
  });
  for_each_in(whole(plan->stages()[2]), [&](const Coord& product) {
    for (const Box& box : map->cells(kProducts, product))
      for_each_in(box, [&](const Coord& y) { by_cells.emplace(product, y); });
    REQUIRE(map->cells(kTransformedInput, product).empty());
  });
  REQUIRE(by_sources == by_cells);
}
