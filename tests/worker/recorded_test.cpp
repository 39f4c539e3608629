// Result records, read back: what is taken, what is refused in which words, and whose run they are.
#include "algorithms/worker/recorded.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/measure/record.h"
#include "tests/catch.h"
#include "tests/measure/some_measurement.h"

using namespace convlens;
using Json = nlohmann::ordered_json;

namespace {

Json some_record() { return Json::parse(to_json(some_measurement(*some_plan()))); }

std::string refusal(const Json& record) {
  try {
    read_record(record.dump(), "here");
    return "";
  } catch (const BadInput& wrong) {
    return wrong.what();
  }
}

}  // namespace

TEST_CASE("what a record says comes back from its line, a bias too") {
  ConvSpec spec{.n = 2, .ci = 4, .hi = 9, .wi = 8, .co = 6, .hf = 3, .wf = 2};
  spec.stride_h = 2, spec.pad_left = 1, spec.pad_bottom = 2, spec.dilation_w = 2, spec.groups = 2, spec.bias = true;
  const auto plan = some_plan(spec);
  const Json record = read_record(to_json(some_measurement(*plan)), "here");
  CHECK(recorded_spec(record) == spec);
  const auto run = recorded_run(record);
  REQUIRE(run);
  CHECK(run_name(*run->algorithm, run->options) == plan->run_name());
  CHECK(recorded_amount(record, "median_ms", "here") == 2.5);
}

TEST_CASE("an option that a record lacks is at its default, and one that is no more makes it no run") {
  for (const Algorithm* row : algorithms()) {
    INFO(row->id);
    Json record = some_record();
    record["algorithm"] = row->id;
    record["options"] = Json::object();
    const auto run = recorded_run(record);
    REQUIRE(run);
    CHECK(run->options == OptionSet::parse("", row->options));
    record["options"]["abolished"] = "on";
    CHECK_FALSE(recorded_run(record));
  }
  Json record = some_record();
  record["algorithm"] = "pytorch.conv2d";
  CHECK_FALSE(recorded_run(record));
}

TEST_CASE("all records that ship can be read, and are of runs that this program has, with the options that they name") {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const Json record = read_record(line, entry.path());
      const auto run = recorded_run(record);
      if (record["algorithm"] == "pytorch.conv2d") continue;
      INFO(entry.path() << ": " << record["run"]);
      REQUIRE(run);
      for (const auto& [id, value] : record["options"].items()) CHECK(run->options.is(id, value.get<std::string>()));
    }
  }
}

TEST_CASE("nonsense in a record is refused in words that name the field and the rule") {
  CHECK(refusal(some_record()) == "");
  const auto changed = [](const char* field, const Json& value) {
    Json record = some_record();
    record[Json::json_pointer(field)] = value;
    return refusal(record);
  };
  CHECK(changed("/schema", 7) == "here: schema: 7, must be 1");
  CHECK(changed("/median_ms", 0) == "here: median_ms: 0, must be above 0");
  CHECK(changed("/min_ms", -1) == "here: min_ms: -1, must be above 0");
  CHECK(changed("/min_ms", 3) == "here: min_ms: 3, must be ≤ median_ms, 2.5");
  CHECK(changed("/tflops", "fast") == "here: tflops: \"fast\", must be ≥ 0");
  CHECK(changed("/peak_bytes", -5) == "here: peak_bytes: -5, must be ≥ 1");
  CHECK(changed("/bytes/x", -1) == "here: bytes.x: -1, must be ≥ 0");
  CHECK(changed("/samples_ms", Json{1, -2}) == "here: samples_ms: [1,-2], must be a list of numbers ≥ 0");
  CHECK(changed("/dtype", "f8") == "here: dtype: \"f8\", must be f16, bf16, f32 or f64");
  CHECK(changed("/layout/w", "NCHW") == "here: layout.w: \"NCHW\", must be OIHW or OHWI");
  CHECK(changed("/timed", "often") == "here: timed: \"often\", must be call or kernel");
  CHECK(changed("/options", Json{{"tile", 3}}) == "here: options: {\"tile\":3}, must be an object of texts");
  CHECK(changed("/problem/stride", Json{1}) == "here: problem.stride: [1], must be 2 whole numbers");
  CHECK(changed("/problem/groups", 0).starts_with("here: problem: groups: 0, must be ≥ 1"));
  CHECK(changed("/problem/n", std::int64_t{1} << 62).starts_with("here: problem: "));
  CHECK(changed("/engine_notes", Json{1}) == "here: engine_notes: [1], must be a list of texts");
  CHECK(changed("/median_ms", nullptr) == "");  // not measured
  const Json record = some_record();
  for (const auto& [field, value] : record.items()) {
    Json without = record;
    without.erase(field);
    const bool needed = !std::set<std::string>{"host",      "clocks",       "workspace_bytes", "peak_source",
                                               "registers", "shared_bytes", "spill_bytes",     "error_over_bound"}
                             .contains(field);
    CHECK(refusal(without).starts_with(needed ? "here: " + field + ": none given, must be" : ""));
    CHECK(refusal(without).empty() == !needed);
  }
  Json none = record;
  none["tflops"] = nullptr;
  CHECK_THROWS_WITH(recorded_amount(none, "tflops", "here"), "here: tflops: null, must be above 0");
}
