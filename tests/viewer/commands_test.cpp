// A state as a command line, and the rows of a panel as CSV and JSON.
#include "viewer/logic/commands.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/states.h"
#include "viewer/logic/table.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

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
      {{"name", "a, \"b\""}, {"value", 0.5}}, {{"name", "two\nlines"}, {"more", std::nan("")}}, {{"value", nullptr}}};
  CHECK(to_csv(rows) == "name,value,more\r\n\"a, \"\"b\"\"\",0.5,\r\n\"two\nlines\",,\r\n,,\r\n");
  CHECK(to_text_for("a.json", rows).find("NaN") == std::string::npos);
  CHECK_NOTHROW(nlohmann::json::parse(to_text_for("a.json", rows)));
  CHECK_THROWS_AS(to_text_for("a.txt", rows), BadInput);
}
