// "-" where an option names a file: a stream, or refused in one line, and never a file of that name.
#include <sys/stat.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace {

const std::string kRecorded = std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-paper-n256.jsonl";

}  // namespace

TEST_CASE(
    "a lone - is refused in one line where standard input or output would not do, whether or not a file has that "
    "name") {
  const StateFolder folder;
  const std::vector<std::pair<std::string, std::string>> calls{
      {"bench '1x2x5x5 --filter 3x3x3' --algorithm direct.ref --repeats 1 -o -", "output: -, must be a file"},
      {"bench '1x2x5x5 --filter 3x3x3' --algorithm direct.ref --repeats 1 --json --output=-",
       "output: -, must be a file"},
      {"paper cv12 --batch 1 -o -", "output: -, must be a file"},
      {"paper --from '" + kRecorded + "' --html -", "--html: -, must be a file"},
      {"paper --from '" + kRecorded + "' --json --html -", "--html: -, must be a file"},
      {"trace direct.cc cv12 -o -", "output: -, must be a file"},
      {"run --image - --filter box", "--image: -, must be a file"},
      {"run --input - --filter box", "--input: -, must be a file"},
      {"run --filter -", "filter: -, must be one of"},
      {"run --filter box -o -", "output: -, must end in .png, .npy or /"},
      {"windows -o -", "output: -, must end in .png"},
      {"view --screenshot -", "--screenshot: -, must end in .png"},
      {"view --export -", "--export: -, must end in .csv or .json"},
      {"view --image - --export cells.csv", "--image: -, must be a file"},
      {"view --set picture=- --export cells.csv", "picture: -, must be a file"},
      {"paper --from - --from -", "--from: -, must be given once"}};
  for (const bool there : {false, true}) {
    if (there) std::filesystem::copy_file(folder.path() + "/s.json", folder.path() + "/-");
    for (const auto& [call, says] : calls) {
      const CommandResult result = folder.run(call);
      INFO(call << "\n" << result.err);
      CHECK(result.exit == 2);
      CHECK(result.out == "");
      CHECK(result.err_lines().size() == 1);
      CHECK_THAT(result.err, Contains(says));
      CHECK(folder.contents("-") == (there ? folder.contents("s.json") : ""));
      CHECK_FALSE(std::filesystem::exists(folder.path() + "/cells.csv"));
    }
  }
  // And ./- is a file.
  folder.good("bench '1x2x5x5 --filter 3x3x3' --algorithm direct.ref --repeats 1 -o ./-");
  CHECK(ordered_json::parse(folder.contents("-"))["run"] == "direct.ref");
}

TEST_CASE("paper reads records from standard input, alone or as one of several") {
  const StateFolder folder;
  const auto paper = [&](const std::string& more) {
    const CommandResult result = folder.shell("\"$CONVLENS\" paper --json --from " + more);
    INFO(more << "\n" << result.err);
    REQUIRE(result.exit == 0);
    return result.out;
  };
  const std::string file = "'" + kRecorded + "'", expected = paper(file);
  CHECK(paper("- < " + file) == expected);
  CHECK(paper("- --html page.html < " + file) == expected);
  CHECK_THAT(folder.contents("page.html"), Contains("<svg "));
  CHECK(paper("<(head -n 100 " + file + ") --from - < <(tail -n +101 " + file + ")") == expected);
  CHECK(paper("- < <(cat " + file + "; tail -n 1 " + file + " | head -c -1)") != "");  // without an end of line
}

TEST_CASE("what paper reads from standard input and is no records is one line, and is not read for ever") {
  const StateFolder folder;
  for (const auto& [input, says] : std::vector<std::pair<std::string, std::string>>{
           {"< /dev/null", "--from: standard input, must hold records of `convlens paper`, holds none"},
           {"<&-", "--from: standard input, must hold records of `convlens paper`, holds none"},
           {"< <(echo; echo '{}')", "standard input, record 1: schema: none given, must be 1"},
           {"< <(yes)", "standard input, record 1: a line that is no JSON"},
           {"< /dev/zero", "standard input, record 1: must be at most 67108864 bytes"}}) {
    const CommandResult result = folder.shell("\"$CONVLENS\" paper --from - " + input);
    INFO(input << "\n" << result.err);
    CHECK(result.exit == 2);
    CHECK(result.out == "");
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(says));
  }
}

TEST_CASE("Ctrl-C ends paper's wait for records that do not come") {
  const StateFolder folder;
  REQUIRE(::mkfifo((folder.path() + "/never.jsonl").c_str(), 0600) == 0);
  for (const std::string begun : {"", "printf '{\"schema\"' >&0; "}) {
    const CommandResult result =
        run_command({.arguments = {"-c", "exec <> never.jsonl; " + begun + "exec \"" +
                                             std::string(CONVLENS_BINARY_DIR) + "/convlens\" paper --from -"},
                     .folder = folder.path(),
                     .interrupt_after = 0.5,
                     .program = "/bin/bash"});
    INFO(result.err);
    CHECK(result.exit == 130);
    CHECK(result.err == "");
  }
}

TEST_CASE("kernel writes its text to standard output with - as it does without") {
  const StateFolder folder;
  const std::string call = "kernel direct.cc --state s.json --emit cu";
  CHECK(folder.good(call + " -o -") == folder.good(call));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/-"));
}
