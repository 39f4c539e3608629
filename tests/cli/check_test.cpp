// `convlens check`: what it prints, in every form, and how it ends.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/json_lines.h"
#include "tests/support/rows.h"

using namespace convlens;
using Catch::Matchers::Contains;
using convlens::testing::json_lines;
using nlohmann::json;

namespace {

const std::string kSmall = "'1x3x5x6 --filter 4x3x3 --pad 1'";

}  // namespace

TEST_CASE("check goes through every algorithm, type and homogeneous layout unless told otherwise") {
  const CommandResult result = convlens_command(shell_words("check " + kSmall + " --json"));
  CHECK(result.exit == 0);
  const std::vector<json> checks = json_lines(result.out);
  CHECK(checks.size() == testing::rows_here().size() * 4 * 3);
  for (const json& check : checks) {
    CHECK((check["passed"].is_null() ? !check["supported"].get<bool>() : check["passed"].get<bool>()));
    CHECK(check["supported"].get<bool>() == check["reason"].is_null());
  }
}

TEST_CASE("check takes all 18 layouts, all option sets, and one seed") {
  const CommandResult layouts =
      convlens_command(shell_words("check " + kSmall + " --algorithm direct --dtype f64 --layout all --json"));
  CHECK(json_lines(layouts.out).size() == 18);
  const CommandResult options = convlens_command(
      shell_words("check " + kSmall + " --algorithm im2col --options all --dtype f32 --layout NCHW --seed 5 --json"));
  const std::vector<json> checks = json_lines(options.out);
  std::size_t sets = 1;
  for (const Option& option : find_algorithm("im2col").options) sets *= std::max<std::size_t>(1, option.values.size());
  CHECK(checks.size() == sets);
  for (const json& check : checks) CHECK(check["seed"] == 5);
}

TEST_CASE("The line that reproduces a check runs, and gives the same result") {
  const CommandResult first = convlens_command(
      shell_words("check " + kSmall + " --algorithm im2col:batching=tile --dtype bf16 --layout NHWC --seed 3 --json"));
  const json check = json::parse(first.out);
  std::vector<std::string> words = shell_words(check["reproduce"].get<std::string>());
  REQUIRE(words.front() == "convlens");
  words.erase(words.begin());
  words.push_back("--json");
  CHECK(convlens_command(words).out == first.out);
}

TEST_CASE("The same check prints the same, whatever the number of threads") {
  const std::string call = "check " + kSmall + " --dtype f32 --json --threads ";
  const std::vector<json> one = json_lines(convlens_command(shell_words(call + "1")).out);
  const std::vector<json> three = json_lines(convlens_command(shell_words(call + "3")).out);
  REQUIRE(one.size() == three.size());
  for (std::size_t k = 0; k < one.size(); ++k) CHECK(one[k]["verdicts"] == three[k]["verdicts"]);
}

TEST_CASE("check's table says what was refused and why, refused everywhere it ends with 3") {
  const std::string strided = "'1x4x8x8 --filter 4x3x3 --stride 2'";
  const CommandResult some = convlens_command(shell_words("check " + strided + " --dtype f32 --layout NCHW"));
  CHECK(some.exit == 0);
  CHECK_THAT(some.out, Contains("Refused:") && Contains("winograd") && Contains("0 failed"));
  const CommandResult all = convlens_command(shell_words("check " + strided + " --algorithm winograd"));
  CHECK(all.exit == 3);
  CHECK(all.out == "");
  CHECK(all.err_lines().size() == 1);
  CHECK_THAT(all.err, Contains("stride"));
}

TEST_CASE("Where nothing can be computed, neither check nor bench prints a record") {
  const std::string strided = " '1x2x8x8 --filter 2x3x3 --stride 2' --algorithm winograd";
  for (const char* command : {"check", "bench"})
    for (const char* form : {" --json", " --csv"}) {
      INFO(command << form);
      const CommandResult result = convlens_command(shell_words(command + strided + form));
      CHECK(result.exit == 3);
      CHECK(result.out == "");
      CHECK(result.err_lines().size() == 1);
    }
}

TEST_CASE("A refusal before the first check is a record among the others") {
  const CommandResult result =
      convlens_command(shell_words("check '1x2x8x8 --filter 2x3x3 --stride 2' --algorithm winograd --algorithm direct "
                                   "--dtype f32 --layout NCHW --json"));
  CHECK(result.exit == 0);
  const std::vector<json> checks = json_lines(result.out);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0]["supported"] == false);
  CHECK(checks[1]["passed"] == true);
}

TEST_CASE("check prints a CSV with equal columns") {
  const auto rows = parse_csv(convlens_command(shell_words("check '1x4x8x8 --filter 4x3x3 --stride 2' --csv")).out);
  REQUIRE(rows.size() == 1 + testing::rows_here().size() * 4 * 3);
  for (const auto& row : rows) CHECK(row.size() == rows.front().size());
}

TEST_CASE("check --verbose has a row for every check") {
  const std::string call = "check " + kSmall + " '2x3x5x6 --filter 4x3x3' --algorithm direct --dtype f32 --layout NCHW";
  const CommandResult summed = convlens_command(shell_words(call)),
                      each = convlens_command(shell_words(call + " --verbose"));
  CHECK(each.out_lines().size() == summed.out_lines().size() + 1);
}

TEST_CASE("check takes an empty batch") {
  const std::string call = "check '0x3x5x7 --filter 4x3x3 --pad 1'";
  const CommandResult text = convlens_command(shell_words(call));
  CHECK(text.exit == 0);
  CHECK(text.out.find("y(") == std::string::npos);  // no output is the worst of none
  for (const json& check : json_lines(convlens_command(shell_words(call + " --json")).out))
    for (const auto& [promise, verdict] : check["verdicts"].items())
      if (verdict["made"].get<bool>())
        for (const char* key : {"at", "got", "expected", "bound"}) CHECK(verdict[key].is_null());
}

TEST_CASE("check --fuzz goes on for its seconds, and starts the same for the same seed") {
  const CommandResult one = convlens_command(shell_words("check --fuzz --seconds 1 --seed 11 --json"));
  const CommandResult two = convlens_command(shell_words("check --fuzz --seconds 0.3 --seed 11 --json"));
  CHECK(one.exit == 0);
  CHECK(one.seconds >= 1);
  const auto a = one.out_lines(), b = two.out_lines();
  REQUIRE(a.size() >= 1);
  REQUIRE(b.size() >= 1);
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) CHECK(a[k] == b[k]);
}

TEST_CASE("check --fuzz keeps to the types and rows that are asked for") {
  for (const json& check :
       json_lines(convlens_command(
                      shell_words("check --fuzz --seconds 0.3 --algorithm im2col --dtype f64 --layout NHWC --json"))
                      .out)) {
    CHECK(check["dtype"] == "f64");
    CHECK(check["layout"]["x"] == "NHWC");
    CHECK_THAT(check["run"].get<std::string>(), Catch::Matchers::StartsWith("im2col.ref"));
  }
}

TEST_CASE("check --fuzz shows each problem as the row computes it") {
  const CommandResult checks =
      convlens_command(shell_words("check --fuzz --seconds 1 --seed 5 --algorithm winograd.cpu --dtype f32 --verbose"));
  CHECK(checks.exit == 0);
  CHECK_THAT(checks.out, Contains("winograd.cpu") && !Contains("--stride") && !Contains("--dilation"));
}

TEST_CASE("Ctrl-C keeps what was checked and ends with 130") {
  const CommandResult lines =
      run_command({.arguments = shell_words("check --fuzz --seconds 3600 --json"), .interrupt_lines = 3});
  CHECK(lines.exit == 130);
  CHECK(json_lines(lines.out).size() >= 3);
  const CommandResult table =
      run_command({.arguments = shell_words("check --fuzz --seconds 3600"), .interrupt_after = 2});
  CHECK(table.exit == 130);
  CHECK_THAT(table.out, Contains("passed, 0 failed"));
}

TEST_CASE("Long work tells how far it is on stderr, with what is left, short work says nothing") {
  const CommandResult long_work = convlens_command(shell_words("check --fuzz --seconds 7 --algorithm direct"));
  REQUIRE(long_work.err_lines().size() >= 1);
  CHECK_THAT(long_work.err_lines().front(), Contains("fuzz: problem ") && Contains(" left"));
  CHECK(convlens_command(shell_words("check " + kSmall + " --algorithm direct --dtype f32")).err == "");
}
