// `convlens choose`: rankings and their reasons, for people and for programs.
#include <nlohmann/json.hpp>
#include <sstream>

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
             Contains("nothing to choose from: tensors: x 4608 + w 4608 + y 9216 bytes, must be ≤ the memory "
                      "limit of 1024 bytes"));
  CHECK(convlens_command({"choose"}).exit == 2);
  CHECK(convlens_command(shell_words("choose " + kSmall + " --csv")).exit == 2);
}
