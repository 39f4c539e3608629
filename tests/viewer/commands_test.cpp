// A state as a command line, and the rows of a panel as CSV and JSON.
#include "viewer/logic/commands.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/draw.h"
#include "tests/viewer/states.h"
#include "viewer/logic/table.h"
#include "viewer/logic/tour.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

template <class List>
auto one_of(testing::Draw& draw, const List& list) {
  return list[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(std::size(list)) - 1))];
}

// Any state that can be shown, with something hidden, and each panel's fields set whichever is in front.
State some_state(std::uint64_t seed) {
  testing::Draw draw{seed};
  State s = draw.coin() ? testing::state_of(testing::random_problem(seed, 0).spec(), {}) : first_state();
  if (draw.coin()) s.spec.n = draw(1, 4);
  s.dtype = one_of(draw, kDTypes);
  s.layouts = {one_of(draw, kLayouts), one_of(draw, kFilterLayouts), one_of(draw, kLayouts)};
  s.runs.clear();
  for (const char* run : {"im2col.ref", "im2win.ref:window=NCHW", "winograd.ref", "fft.ref"})
    if (draw.coin()) s.runs.push_back(run);
  s.panel = one_of(draw, panel_names());
  s.arrangement = one_of(draw, arrangement_names());
  if (draw.coin()) s.hidden = {"w", "im2col.ref/matrix"};
  s.step = draw(0, 48);
  s.order = one_of(draw, order_names());
  s.picture = draw.coin() ? "random" : "";
  s.seed = random_bits(seed, 7);
  s.memory_limit = draw(0, std::int64_t{1} << 40);
  s.performance = {.chart = one_of(draw, chart_names()),
                   .run = draw.coin() ? "direct.ref" : "",
                   .timed = one_of(draw, time_names()),
                   .swept = one_of(draw, swept_names())};
  s.numerics.dtype = one_of(draw, kDTypes);
  s.numerics.exponent = draw(-kLargestExponent, kLargestExponent);
  s.numerics.injection = one_of(draw, injection_names());
  if (draw.coin()) s.numerics.element = {0, 1, 2, 3};
  if (s.panel != "kernel")
    s.kernel = {.run = "im2win.cc", .step = draw(0, 3), .file = "", .architecture = "", .texts = {}};
  s.tour = draw(0, static_cast<std::int64_t>(tour().size()));
  s.dark = draw.coin();
  s.scale = draw.coin() ? 0 : static_cast<double>(draw(500000, 4000000)) / 1e6;
  const Model model(s);
  const Exhibit exhibit = one_of(draw, model.exhibits());
  s.cursor = {exhibit.id, draw.coin() ? testing::some_cell(exhibit, seed, 99) : Coord{}};
  return s;
}

// What `convlens view` understands by these words.
State understood(std::vector<std::string> words) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json";
  words.erase(words.begin());
  words.insert(words.end(), {"--save", file});
  const CommandResult result = convlens_command(words);
  INFO(result.err);
  REQUIRE(result.exit == 0);
  return read_state(file);
}

}  // namespace

TEST_CASE("the command line of a state comes through a shell as its words") {
  State state = first_state();
  state.picture = "/tmp/it's a picture.png";
  state.layouts.x = Layout::CHWN;
  state.cursor = {"im2win.ref/im2win", {0, 3, 2, 1}};
  state.scale = 1.5;
  const CommandResult shell =
      run_command({.arguments = {"-c", "printf '%s\\n' " + as_command_line(state)}, .program = "/bin/sh"});
  CHECK(shell.out_lines() == command_words(state));
  for (const std::string& word : command_words(state))
    CHECK(as_python(state).find(nlohmann::json(word).dump()) != std::string::npos);
}

TEST_CASE("a state of any layer has a command line") {
  State own = testing::state_of({.n = 2, .ci = 3, .hi = 9, .wi = 7, .co = 2, .hf = 3, .wf = 3}, {"im2win.ref"});
  CHECK_NOTHROW(command_words(own));
  own.spec.stride_w = 0;  // while it is typed
  CHECK_NOTHROW(command_words(own));
  CHECK_NOTHROW(command_words(first_state()));
}

TEST_CASE("a copied command line, read again, gives the state that it was copied from") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const State state = some_state(seed);
    INFO(as_command_line(state));
    CHECK(to_json(understood(command_words(state))) == to_json(state));
  }
  State empty = testing::state_of({.n = 0, .ci = 2, .hi = 5, .wi = 5, .co = 2, .hf = 3, .wf = 3}, {"im2win.ref"});
  CHECK(understood(command_words(empty)) == empty);
}

TEST_CASE("a copied command line gives the data of the state that it was copied from") {
  State state = first_state();
  state.cursor = {"im2win.ref/im2win", {0, 3, 2, 1}};
  state.arrangement = "ribbon";
  const TemporaryFolder folder;
  write_state(state, folder.path() + "/state.json");
  std::vector<std::string> words = command_words(state);
  words.erase(words.begin());
  words.insert(words.end(), {"--export", folder.path() + "/line.csv"});
  const CommandResult line = convlens_command(words);
  if (line.exit == 3) {
    WARN("SKIP: " << line.err);
    return;
  }
  CHECK(line.err == "");
  CHECK(line.exit == 0);
  const CommandResult file =
      convlens_command({"view", "--state", folder.path() + "/state.json", "--export", folder.path() + "/file.csv"});
  CHECK(file.exit == 0);
  const CommandResult same =
      run_command({.arguments = {folder.path() + "/line.csv", folder.path() + "/file.csv"}, .program = "/usr/bin/cmp"});
  CHECK(same.exit == 0);
}

TEST_CASE("what has no option of its own is in the command line, field by field") {
  State state = first_state();
  state.panel = "numerics";
  state.numerics = {
      .run = "winograd.ref:m=4", .dtype = DType::f16, .exponent = -3, .injection = "nan", .element = {0, 1, 2, 3}};
  State again = first_state();
  again.panel = "numerics";
  const std::vector<std::string> words = command_words(state);
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    if (words[k] == "--set") again = with_field(again, words[k + 1]);
  CHECK(again.numerics == state.numerics);

  state.panel = "kernel";
  state.kernel = {
      .run = "im2win.tc:zigzag=off", .step = 2, .file = "common/tile.cuh", .architecture = "sm_80", .texts = {}};
  again = first_state();
  for (const std::string& word : command_words(state))
    if (word.starts_with("kernel.")) again = with_field(again, word);
  CHECK(again.kernel == state.kernel);
}

TEST_CASE("a field that is set has the name and the rule that it has in a state file") {
  const State state = first_state();
  CHECK(with_field(state, "seed=7").seed == 7);
  CHECK(with_field(state, "numerics.injection=nan").numerics.injection == "nan");
  CHECK(with_field(state, "picture=12").picture == "12");
  for (const char* wrong : {"nonsense", "nonsense=1", "numerics.nonsense=1", "numerics.injection=tea", "seed=-1",
                            "numerics.exponent=99", "convlens_state=2", "step=x"})
    CHECK_THROWS_AS(with_field(state, wrong), BadInput);
  // Whether it is the field or the value that is wrong, and what the other may be.
  CHECK_THROWS_WITH(
      with_field(state, "numerics.exponnet=3"),
      Catch::StartsWith("state: numerics.exponnet, is no field of a state, must be one of numerics.run | ") &&
          Catch::EndsWith("did you mean \"numerics.exponent\"?"));
  CHECK_THROWS_WITH(with_field(state, "numerics.exponent=9999"),
                    Catch::Contains("numerics.exponent: 9999, must be a whole number from "));
  CHECK_THROWS_WITH(with_field(state, "seed.high=1"), Catch::Contains("seed.high, must end before high"));
}

TEST_CASE("rows become CSV that another program reads") {
  const nlohmann::ordered_json rows{
      {{"name", "a, \"b\""}, {"value", 0.5}}, {{"name", "two\nlines"}, {"more", 1}}, {{"value", nullptr}}};
  CHECK(to_csv(rows) == "name,value,more\r\n\"a, \"\"b\"\"\",0.5,\r\n\"two\nlines\",,1\r\n,,\r\n");
  CHECK(nlohmann::ordered_json::parse(to_text_for("a.json", rows)) == rows);
  CHECK_THROWS_AS(to_text_for("a.txt", rows), BadInput);
}

TEST_CASE("NaN and both infinities are told apart in CSV and in strict JSON, and from what nobody knows") {
  const double inf = std::numeric_limits<double>::infinity();
  const nlohmann::ordered_json rows{
      {{"a", std::nan("")}, {"b", inf}, {"c", -inf}, {"d", nullptr}, {"e", -0.0}, {"f", "nan"}}};
  CHECK(to_csv(rows) == "a,b,c,d,e,f\r\nnan,inf,-inf,,-0.0,nan\r\n");
  const nlohmann::ordered_json expected{
      {{"a", "NaN"}, {"b", "Infinity"}, {"c", "-Infinity"}, {"d", nullptr}, {"e", -0.0}, {"f", "nan"}}};
  CHECK(nlohmann::ordered_json::parse(to_text_for("a.json", rows)) == expected);
}
