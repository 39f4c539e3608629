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
  const CommandResult file = convlens_command(
      {"view", "--state", folder.path() + "/state.json", "--export", folder.path() + "/file.csv"});
  CHECK(file.exit == 0);
  const CommandResult same = run_command({.arguments = {folder.path() + "/line.csv", folder.path() + "/file.csv"},
                                          .program = "/usr/bin/cmp"});
  CHECK(same.exit == 0);
}

TEST_CASE("rows become CSV that another program reads") {
  const nlohmann::ordered_json rows{{{"name", "a, \"b\""}, {"value", 0.5}},
                                    {{"name", "two\nlines"}, {"more", std::nan("")}},
                                    {{"value", nullptr}}};
  CHECK(to_csv(rows) == "name,value,more\r\n\"a, \"\"b\"\"\",0.5,\r\n\"two\nlines\",,\r\n,,\r\n");
  CHECK(to_text_for("a.json", rows).find("NaN") == std::string::npos);
  CHECK_NOTHROW(nlohmann::json::parse(to_text_for("a.json", rows)));
  CHECK_THROWS_AS(to_text_for("a.txt", rows), BadInput);
}
