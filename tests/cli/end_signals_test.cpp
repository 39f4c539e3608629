// SIGTERM and SIGHUP end a command as Ctrl-C does: in order, and what is done is kept.
#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// A bench whose first layer is done at once and whose second is not for a long time, which `kill` ends in between; the
// script ends as it does.
CommandResult ended_bench(const StateFolder& folder, const std::string& before, const std::string& kill) {
  return folder.shell(
      before +
      " \"$CONVLENS\" bench '1x2x5x5 --filter 3x3x3' '8x64x56x56 --filter 64x3x3' --algorithm direct.ref --repeats 200 "
      "--json -o keep.jsonl > out & p=$!; until [ -s out ]; do sleep 0.1; done; " +
      kill + " 2> /dev/null; wait $p");
}

}  // namespace

TEST_CASE("a bench that SIGTERM or SIGHUP ends keeps its records, and ends by that signal") {
  for (const auto& [kill, exit] : std::vector<std::pair<std::string, int>>{
           {"kill -TERM $p", 143}, {"kill -HUP $p", 129}, {"kill -TERM $p; kill -TERM $p", 143}}) {
    const StateFolder folder;
    const CommandResult result = ended_bench(folder, "", kill);
    INFO(kill << "\n" << result.err);
    CHECK(result.exit == exit);
    REQUIRE(folder.contents("keep.jsonl") != "");
    CHECK(json_lines(folder.contents("keep.jsonl")).front().at("run") == "direct.ref");
    CHECK(folder.contents("keep.jsonl") == folder.contents("out"));
  }
}

TEST_CASE("a SIGHUP that the program is told to ignore ends nothing, as under nohup") {
  const StateFolder folder;
  const CommandResult result = ended_bench(folder, "trap '' HUP;", "kill -HUP $p; kill -TERM $p");
  INFO(result.err);
  CHECK(result.exit == 143);
  CHECK(folder.contents("keep.jsonl") != "");
}
