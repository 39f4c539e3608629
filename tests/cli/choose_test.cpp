// `convlens choose`: rankings and their reasons, for people and for programs.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/json_lines.h"

using namespace convlens;
using Catch::Matchers::Contains;
using convlens::testing::json_lines;
using nlohmann::json;

namespace {

const std::string kSmall = "'1x8x12x12 --filter 16x3x3 --pad 1'";

}  // namespace

TEST_CASE("choose ranks by the model and says what binds each row, at what share of the roofline") {
  const CommandResult result = convlens_command(shell_words("choose " + kSmall));
  CHECK(result.exit == 0);
  CHECK_THAT(result.out, Contains("direct.cpu") && Contains("bound by ") && Contains(" % of its roofline"));
}

TEST_CASE("choose --measure puts the fastest first, choose --compare gives the model's regret a layer") {
  const CommandResult measured = convlens_command(shell_words("choose " + kSmall + " --measure --repeats 3 --json"));
  CHECK(measured.exit == 0);
  const std::vector<json> layers = json_lines(measured.out);
  REQUIRE(layers.size() == 1);
  const json& first = layers[0]["candidates"][0];
  CHECK(first["measured_ms"].get<double>() > 0);
  for (const json& candidate : layers[0]["candidates"])
    if (candidate["measured_ms"].is_number())
      CHECK(candidate["measured_ms"].get<double>() >= first["measured_ms"].get<double>());
    else
      CHECK(candidate["left_out"].is_string());

  const CommandResult compared =
      convlens_command(shell_words("choose " + kSmall + " cv12 --compare --repeats 3 --json"));
  CHECK(compared.exit == 0);
  REQUIRE(json_lines(compared.out).size() == 2);
  for (const json& layer : json_lines(compared.out)) {
    CHECK(layer["regret"].get<double>() >= 0);
    CHECK(layer["measured_regret"].get<double>() >= 0);
  }
  CHECK_THAT(convlens_command(shell_words("choose " + kSmall + " --compare --repeats 2")).out,
             Contains("within 20 % of the best on ") && Contains("the pick of a first measurement within 5 % on "));
}

TEST_CASE("choose keeps to the rows, type and memory that are asked for, and refuses in one line when none is left") {
  const CommandResult two = convlens_command(
      shell_words("choose " + kSmall + " --algorithm direct.cpu --algorithm im2win.cpu --layout NHWC --json"));
  REQUIRE(json_lines(two.out).size() == 1);
  CHECK(json_lines(two.out)[0]["candidates"].size() == 2);
  const CommandResult none = convlens_command(shell_words("choose " + kSmall + " --algorithm direct.cpu --dtype f16"));
  CHECK(none.exit == 3);
  CHECK(none.err_lines().size() == 1);
  const CommandResult small = convlens_command(shell_words("choose " + kSmall + " --memory-limit 1KiB"));
  CHECK(small.exit == 3);
  CHECK_THAT(small.err,
             Contains("nothing to choose from: ") &&
                 Contains("tensors: x 4608 + w 4608 + y 9216 bytes, must be ≤ the memory limit of 1024 bytes") &&
                 Contains("; the least that any needs is 18432 bytes, by direct.ref"));
  CHECK(small.err_lines().size() == 1);
  CHECK(convlens_command({"choose"}).exit == 2);
  CHECK(convlens_command(shell_words("choose " + kSmall + " --csv")).exit == 2);
}

TEST_CASE("choose names the options with which a row fits the memory, and the row that does not") {
  const CommandResult tight =
      convlens_command(shell_words("choose " + kSmall + " --layout NHWC --algorithm direct.cpu --memory-limit 25KB"));
  CHECK(tight.exit == 0);
  CHECK_THAT(tight.out, Contains("direct.cpu:pack=off") && Contains("direct.cpu needs "));
  const CommandResult mixed =
      convlens_command(shell_words("choose cv1 cv12 --algorithm winograd.cpu --memory-limit 1GiB"));
  CHECK(mixed.exit == 0);  // cv12 has a choice
  CHECK_THAT(mixed.err, Contains("nothing to choose from: cv1, f32") && Contains("winograd needs stride 1, got 4x4"));
}

TEST_CASE("choose --options all ranks every combination of the options of every row that runs here") {
  const auto ranked = [](const std::string& more) {
    const CommandResult result = convlens_command(shell_words("choose " + kSmall + " --json " + more));
    INFO(result.err);
    REQUIRE(result.exit == 0);
    std::set<std::string> runs;
    const json layer = json_lines(result.out).front();
    for (const json& candidate : layer["candidates"])
      CHECK(runs.insert(candidate["run"].get<std::string>()).second);
    return runs;
  };
  const std::set<std::string> usual = ranked(""), all = ranked("--options all"),
                              of_one = ranked("--options all --algorithm direct.cpu");
  CHECK(std::ranges::includes(all, usual));
  CHECK(std::ranges::includes(all, of_one));
  std::size_t combinations = 1;
  for (const Option& option : find_algorithm("direct.cpu").options) combinations *= option.values.size();
  CHECK(combinations > 100);
  CHECK(of_one.size() == combinations);
  CHECK(of_one.contains("direct.cpu:simd=off,pack=off"));
}

TEST_CASE("choose --measure says how much memory too many candidates take, before it takes any") {
  const CommandResult result = convlens_command(
      shell_words("choose '256x64x224x224 --filter 64x3x3' --algorithm direct.cpu --options all --measure"));
  CHECK(result.exit == 3);
  CHECK(result.err_lines().size() == 1);
  CHECK_THAT(result.err, Contains("measure: ") && Contains(" candidates take ") && Contains("must be ≤ the machine's "));
}

TEST_CASE("choose says in words where it has no model, and where there is nothing to compute") {
  const CommandResult off = convlens_command(shell_words("choose " + kSmall + " --algorithm direct.cpu:simd=off"));
  CHECK_THAT(off.out, Contains("no model for simd=off"));
  const CommandResult half = convlens_command(shell_words("choose " + kSmall + " --algorithm direct.ref --dtype f16"));
  CHECK_THAT(half.out, Contains(", f16, ") && Contains("in no order") && Contains("no model for f16"));
  const CommandResult tiny = convlens_command(shell_words("choose '1x1x1x1 --filter 1x1x1' --algorithm direct.ref"));
  CHECK_THAT(tiny.out, Contains("bound by the call itself"));
  const CommandResult unmeasured = convlens_command(shell_words("choose " + kSmall + " --repeats 3"));
  CHECK(unmeasured.exit == 2);
  CHECK_THAT(unmeasured.err, Contains("--repeats: must go with --measure or --compare"));
  for (const std::string how : {"", " --measure", " --compare"}) {
    const CommandResult empty = convlens_command(shell_words("choose '0x8x12x12 --filter 16x3x3'" + how));
    INFO(how);
    CHECK(empty.exit == 0);
    CHECK_THAT(empty.out, Contains("Nothing to compute: N = 0") && !Contains("%"));
  }
  const CommandResult json = convlens_command(shell_words("choose '0x8x12x12 --filter 16x3x3' --json"));
  REQUIRE(json_lines(json.out).size() == 1);
  CHECK(json_lines(json.out)[0]["nothing_to_compute"] == true);
  for (const auto& candidate : json_lines(json.out)[0]["candidates"]) CHECK(candidate["model"].is_null());
}

TEST_CASE("choose, bench and check name the refusal that tells most") {
  for (const std::string command : {"choose", "bench", "check"}) {
    const CommandResult result =
        convlens_command(shell_words(command + " cv1 --algorithm winograd.cpu --dtype all --layout all"));
    INFO(command);
    CHECK(result.exit == 3);
    REQUIRE(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(": winograd needs stride 1, got 4x4 (and 3 other reasons)"));
  }
}
