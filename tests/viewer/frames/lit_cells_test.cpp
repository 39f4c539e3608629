// What the Layouts panel exports of a cursor, against values, sources and coefficients asked for one by one.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/ui/app.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using Json = nlohmann::ordered_json;

Json exported(const State& state) {
  App app(state, {nullptr, nullptr, nullptr}, "", {});
  return app.data();
}

Coord at_of(const Exhibit& exhibit, const Json& row) {
  Coord at{};
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) at[axis] = row.at(exhibit.axes[axis].name);
  return at;
}

State small_state() {
  return testing::state_of(testing::padded(1, {.n = 1, .ci = 2, .hi = 7, .wi = 6, .co = 3, .hf = 3, .wf = 3}),
                           {"winograd.ref", "im2col.ref", "fft.cc"});
}

}  // namespace

TEST_CASE("exported cells have their values, their roles and the exact coefficients") {
  std::uint64_t number = 0;
  State state = small_state();
  const auto model = std::make_shared<const Model>(state);
  const Values values(model, random_sources(*model->problem(), state.seed));
  for (const Exhibit& pointed : model->exhibits()) {
    state.cursor = {pointed.id, testing::some_cell(pointed, 51, ++number)};
    INFO("cursor in " << pointed.id << testing::text(state.cursor.at));
    const Links links = links_of(*model, state.cursor);
    std::map<std::string, std::set<Coord>> written;
    int with_coefficient = 0;
    for (const Json& row : exported(state)) {
      const Exhibit& exhibit = *model->find(row.at("tensor"));
      INFO(row.dump());
      const Coord at = at_of(exhibit, row);
      CHECK(written[exhibit.id].insert(at).second);
      CHECK(links.lit(exhibit.id, at));
      REQUIRE(row.at("cells") == 1);
      const std::complex<double> value = values.at(exhibit, at);
      CHECK(row.at("value").get<double>() == value.real());
      CHECK(row.contains("imaginary") == exhibit.complex);
      if (exhibit.complex) CHECK(row.at("imaginary").get<double>() == value.imag());
      const std::string role = row.at("role");
      CHECK((role == "this") == (exhibit.id == pointed.id));
      if (pointed.role == Role::stage && exhibit.role == Role::stage && exhibit.row != pointed.row)
        CHECK(role == "the same place elsewhere");
      if (exhibit.role == Role::input && pointed.role != Role::input) CHECK(role == "source");
      if (exhibit.role == Role::output && pointed.role != Role::output) CHECK(role == "destination");
      if (row.contains("coefficient")) ++with_coefficient;
    }
    for (const auto& [id, boxes] : links.cells) {
      if (model->find(id) == nullptr) continue;
      std::set<Coord> lit;
      for (const Box& box : boxes) testing::for_each(box, [&](const Coord& at) { lit.insert(at); });
      CHECK(written[id] == lit);
    }
    const bool mixed = pointed.id.starts_with("winograd.ref/");
    if (mixed || pointed.role != Role::stage) CHECK(with_coefficient > 0);
  }
}

TEST_CASE("an exported point of a Winograd tile is the sum of its sources by their coefficients") {
  State state = small_state();
  state.cursor = {"winograd.ref/V", {1, 2, 0, 1, 0, 1}};
  double value = 0, sum = 0;
  int sources = 0;
  for (const Json& row : exported(state)) {
    if (row.at("role") == "this") value = row.at("value");
    if (row.at("tensor") != "x") continue;
    const std::string c = row.at("coefficient");
    const std::size_t over = c.find('/');
    sum +=
        std::stod(c) / (over == std::string::npos ? 1 : std::stod(c.substr(over + 1))) * row.at("value").get<double>();
    ++sources;
  }
  CHECK(sources > 1);
  CHECK(value == Approx(sum));
}

TEST_CASE("an exported output is the sum of its products by their coefficients") {
  State state = small_state();
  state.cursor = {"y", {0, 2, 3, 4}};
  double value = 0, sum = 0;
  int products = 0;
  for (const Json& row : exported(state)) {
    if (row.at("role") == "this") value = row.at("value");
    if (row.at("tensor") != "winograd.ref/M" || row.at("role") != "source") continue;
    sum += std::stod(row.at("coefficient").get<std::string>()) * row.at("value").get<double>();
    ++products;
  }
  CHECK(products == 9);
  CHECK(value == Approx(sum));
}

TEST_CASE("of tensors with very many lit cells boxes are exported, which say how many cells they are") {
  State state = testing::state_of(testing::padded(1, {.n = 8, .ci = 2, .hi = 64, .wi = 64, .co = 4, .hf = 3, .wf = 3}),
                                  {"im2col.ref"});
  state.cursor = {"w", {1, 1, 0, 2}};
  std::int64_t outputs = 0;
  for (const Json& row : exported(state)) {
    CHECK(row.contains("value") == (row.at("cells") == 1));
    if (row.at("tensor") == "y") outputs += row.at("cells").get<std::int64_t>();
  }
  CHECK(outputs == 8 * 64 * 64);
}

TEST_CASE("all five export their step, and the stage that each row is at") {
  State state = small_state();
  state.arrangement = "five";
  state.runs = {"direct.ref", "im2col.ref", "im2win.ref", "winograd.ref", "fft.ref"};
  std::set<std::string> dumps;
  for (const std::int64_t step : {0, 10, 30, 48}) {
    state.step = step;
    const Json rows = exported(state);
    std::map<std::string, std::set<std::string>> stages;
    for (const Json& row : rows) {
      CHECK(row.at("step") == step);
      stages[row.value("run", "")].insert(row.at("stage").get<std::string>());
      if (row.contains("made")) CHECK((row.at("made") >= 0 && row.at("made") <= 1));
    }
    CHECK(stages.size() == 6);
    CHECK(stages.at("") == std::set<std::string>{"x"});
    if (step == 0) CHECK(stages.at("winograd.ref") == std::set<std::string>{"U", "V"});
    if (step == 48) CHECK(stages.at("winograd.ref") == std::set<std::string>{"y"});
    dumps.insert(rows.dump());
  }
  CHECK(dumps.size() == 4);
  state.arrangement = "grids";
  CHECK_FALSE(dumps.contains(exported(state).dump()));
}
