// --state FILE, where FILE is a pipe or standard input; and what a window of `view` starts from.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

TEST_CASE("A state is read from standard input, from a pipe and from a process substitution") {
  const StateFolder folder;
  const std::string expected = folder.good("explain --state s.json --algorithm im2win");
  const std::string explain = "\"$CONVLENS\" explain --algorithm im2win --state";
  for (const std::string& line :
       {explain + " - < s.json", explain + "=- < s.json", explain + " /dev/stdin < s.json",
        "cat s.json | " + explain + " -", "cat s.json | " + explain + " /dev/stdin",
        "(head -c 100 s.json; sleep 0.2; tail -c +101 s.json) | " + explain + " -", explain + " <(cat s.json)",
        "mkfifo pipe.json; cat s.json > pipe.json & " + explain + " pipe.json"}) {
    const CommandResult result = folder.shell(line);
    INFO(line << "\n" << result.err);
    CHECK(result.exit == 0);
    CHECK(result.out == expected);
  }
}

TEST_CASE("Every command that takes a state takes it from standard input") {
  const StateFolder folder;
  for (const std::string command : {"bench --repeats 1", "check", "choose", "run --filter box", "view --save out.json",
                                    "kernel --emit cu", "live direct.ref --seconds 0.1"}) {
    const CommandResult result = folder.shell("\"$CONVLENS\" " + command + " --state - < s.json");
    INFO(command << "\n" << result.err);
    CHECK(result.exit == 0);
  }
  folder.good("view --state s.json --save saved.json");
  CHECK(folder.contents("out.json") == folder.contents("saved.json"));
}

TEST_CASE("What comes through a pipe and is no state is one line, and what has no end is not read to it") {
  const StateFolder folder;
  for (const auto& [line, says] : std::vector<std::pair<std::string, std::string>>{
           {"bench --state - < /dev/null", "state: standard input, must be JSON"},
           {"bench --state - <&-", "state: standard input, must be JSON"},
           {"bench --state - < /dev/zero", "state: standard input, has more, must be at most 8388608 bytes"},
           {"bench --state /dev/zero", "state: /dev/zero, has more, must be at most 8388608 bytes"},
           {"view --save none.json --state <(yes)", "has more, must be at most 8388608 bytes"},
           {"bench --state <(echo '{}')", "state: no object with convlens_state"},
           {"bench --state . < s.json", "state: ., must be a file or a pipe"}}) {
    const CommandResult result = folder.shell("\"$CONVLENS\" " + line);
    INFO(line << "\n" << result.err);
    CHECK(result.exit == 2);
    REQUIRE(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(says));
  }
  CHECK(folder.contents("none.json") == "");
}

TEST_CASE("Ctrl-C ends the wait for a state that does not come, of a pipe that nobody writes to or nobody ends") {
  const StateFolder folder;
  const std::string pipe = folder.path() + "/never.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const bool writer : {false, true}) {
    const int held = writer ? open(pipe.c_str(), O_RDWR | O_CLOEXEC) : -1;
    const CommandResult result =
        run_command({.arguments = {"bench", "--state", pipe}, .folder = folder.path(), .interrupt_after = 0.5});
    if (writer) close(held);
    INFO(result.err);
    CHECK(result.exit == 130);
    CHECK(result.err == "");
  }
}

// Without a display nothing opens; what is said of a cell tells in which state it has been looked for.
TEST_CASE(
    "A window that is told what to show starts from the first state, and one that is told nothing from the last") {
  const StateFolder folder(R"({"convlens_state": 1, "runs": ["mec.ref"], "picture": "gone.png"})");
  std::filesystem::create_directory(folder.path() + "/convlens");
  std::filesystem::copy_file(folder.path() + "/s.json", folder.path() + "/convlens/state.json");
  const auto window = [&](const std::string& call) {
    const CommandResult result =
        run_command({.arguments = shell_words("view " + call),
                     .environment = {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"XDG_CONFIG_HOME", folder.path()}},
                     .folder = folder.path()});
    INFO(call << "\n" << result.err);
    CHECK((result.exit == 2 || result.exit == 3));  // 3: without a viewer
    REQUIRE(result.err_lines().size() == 1);
    return result.err;
  };
  const std::string nothing_opens = window("");
  CHECK_THAT(nothing_opens, !Contains("gone.png"));
  for (const std::string call : {"--size 800x600", "--tensor im2win.ref/im2win", "--theme light", "--at 0,0,53,53"})
    CHECK(window(call) == nothing_opens);
  CHECK_THAT(window("--tensor mec.ref/mec"), Contains("--tensor: mec.ref/mec"));
  CHECK_THAT(window("--layer cv9 --state s.json"), Contains("gone.png"));
  CHECK_THAT(window("--set cursor.tensor=mec.ref/mec"), Contains("state: cursor.tensor"));
  CHECK_THAT(window("--image gone.png"), Contains("gone.png"));
}
