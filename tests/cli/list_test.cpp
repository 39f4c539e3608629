// `convlens list`: generated from the registry and the layer files, in four forms.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"

using namespace convlens;
using nlohmann::json;

namespace {

CommandResult list(const std::string& call) {
  const CommandResult result = convlens_command(shell_words("list " + call));
  REQUIRE(result.exit == 0);
  REQUIRE(result.err == "");
  return result;
}

}  // namespace

TEST_CASE("list algorithms has every row of the registry, in its order, with what it refuses") {
  const json rows = json::parse(list("algorithms --json").out);
  const auto registry = algorithms();
  REQUIRE(rows.size() == registry.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CHECK(rows[k]["id"] == registry[k]->id);
    CHECK(rows[k]["family"] == registry[k]->family);
    CHECK(rows[k]["limits"].size() == registry[k]->rules.size());
    CHECK(rows[k]["options"].size() == registry[k]->options.size());
    CHECK(rows[k]["missing"].is_null() == why_not_here(*registry[k]).empty());
  }
}

TEST_CASE("list layers has every named layer") {
  const json rows = json::parse(list("layers --json").out);
  REQUIRE(rows.size() == named_layers().size());
  const auto cv9 = std::find_if(rows.begin(), rows.end(), [](const json& row) { return row["layer"] == "cv9"; });
  REQUIRE(cv9 != rows.end());
  CHECK((*cv9)["problem"] == "1x64x56x56 --filter 64x3x3");
  CHECK((*cv9)["flops"] == 214990848);
}

TEST_CASE("list options has every option with its values") {
  std::size_t options = 0;
  for (const Algorithm* row : algorithms()) options += row->options.size();
  CHECK(json::parse(list("options --json").out).size() == options);
}

TEST_CASE("list devices tells of the CPU, and of each GPU, or why there is none") {
  const json devices = json::parse(list("devices --json").out);
  REQUIRE(devices.size() == 1 + std::max<std::size_t>(1, convlens::devices().size()));
  CHECK(devices[0]["device"] == "cpu");
  CHECK(devices[0]["cores"].get<int>() >= 1);
  CHECK_FALSE(devices[0].contains("gflops_f32"));
  if (convlens::devices().empty())
    CHECK(devices[1] == json{{"device", "gpu"}, {"missing", why_no_device()}});
  else
    CHECK(devices[1]["model"] == convlens::devices()[0]->facts().name);
}

TEST_CASE("list devices --measure adds the ceilings") {
  const json devices = json::parse(list("devices --measure --json").out);
  CHECK(devices[0]["gflops_f32"].get<double>() > 0);
  CHECK(devices[0]["gbytes_per_second"].get<double>() > 0);
}

TEST_CASE("Every listing is a CSV with as many columns in each row as in its header") {
  for (const char* what : {"algorithms", "layers", "options", "devices"}) {
    INFO(what);
    const auto rows = parse_csv(list(std::string(what) + " --csv").out);
    REQUIRE(rows.size() >= 2);
    for (const auto& row : rows) CHECK(row.size() == rows.front().size());
  }
}

TEST_CASE("The README's table of algorithms is what list algorithms --markdown prints") {
  std::ifstream file(CONVLENS_SOURCE_DIR "/README.md");
  std::ostringstream readme;
  readme << file.rdbuf();
  const std::string text = readme.str(), begin = "<!-- algorithms -->\n", end = "<!-- /algorithms -->";
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  CHECK(text.substr(from + begin.size(), to - from - begin.size()) == list("algorithms --markdown").out);
}
