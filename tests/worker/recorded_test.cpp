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
  CHECK(changed("/tflops", "fast") == "here: tflops: \"fast\", must be ≥ 0");
  CHECK(changed("/peak_bytes", -5) == "here: peak_bytes: -5, must be ≥ 1");
  CHECK(changed("/bytes/x", -1) == "here: bytes.x: -1, must be ≥ 0");
  CHECK(changed("/samples_ms", Json{1, -2}) == "here: samples_ms: [1,-2], must be a list of at least one number ≥ 0");
  CHECK(changed("/samples_ms", Json::array()) == "here: samples_ms: [], must be a list of at least one number ≥ 0");
  CHECK(changed("/dtype", "f8") == "here: dtype: \"f8\", must be f16, bf16, f32 or f64");
  CHECK(changed("/layout/w", "NCHW") == "here: layout.w: \"NCHW\", must be OIHW or OHWI");
  CHECK(changed("/timed", "often") == "here: timed: \"often\", must be call or kernel");
  CHECK(changed("/options", Json{{"tile", 3}}) == "here: options: {\"tile\":3}, must be an object of texts");
  CHECK(changed("/problem/stride", Json{1}) == "here: problem.stride: [1], must be 2 whole numbers");
  CHECK(changed("/problem/groups", 0).starts_with("here: problem: groups: 0, must be ≥ 1"));
  CHECK(changed("/problem/n", std::int64_t{1} << 62).starts_with("here: problem: "));
  CHECK(changed("/engine_notes", Json{1}) == "here: engine_notes: [1], must be a list of texts");
  CHECK(changed("/tflops", nullptr) == "");
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

TEST_CASE("what a record says twice agrees, but for how it was rounded") {
  const Json record = some_record();  // 7560 FLOPs; samples of 4, 1, 3 and 2 ms
  const auto changed = [&](const char* field, const Json& value) {
    Json other = record;
    other[field] = value;
    return refusal(other);
  };
  constexpr double tflops = 3.024e-6;
  const std::string over = Json(tflops).dump() + ", the direct sum's FLOPs over median_ms";
  CHECK(changed("tflops", 1e6) == "here: tflops: 1000000.0, must be " + over);
  CHECK(changed("tflops", 0) == "here: tflops: 0, must be " + over);
  CHECK(changed("tflops", 1.002 * tflops).ends_with(over));
  CHECK(changed("tflops", 0.998 * tflops).ends_with(over));
  CHECK(changed("tflops", 1.0005 * tflops) == "");
  CHECK(changed("median_ms", 2.4) == "here: median_ms: 2.4, must be 2.5, the median of samples_ms");
  CHECK(changed("min_ms", 3) == "here: min_ms: 3, must be 1.0, the least of samples_ms");
  CHECK(changed("min_ms", 0.9) == "here: min_ms: 0.9, must be 1.0, the least of samples_ms");
  CHECK(changed("samples_ms", Json{4, 1, 3}) == "here: median_ms: 2.5, must be 3.0, the median of samples_ms");
  CHECK(changed("samples_ms", Json{4, 1.0004, 3, 2.0004}) == "");
  const auto peak = record["peak_bytes"].get<double>();
  CHECK(changed("peak_bytes", 5) == "here: peak_bytes: 5, must be " + Json(peak).dump() + ", the sum of bytes");
  Json other = record;
  other["bytes"]["x"] = other["bytes"]["y"] = std::int64_t{1} << 62;
  CHECK_THAT(refusal(other), Catch::Matchers::Contains("the sum of bytes"));
  // Without a median there is no rate.
  other = record;
  other["median_ms"] = nullptr;
  CHECK(refusal(other).ends_with("must be null, the direct sum's FLOPs over median_ms"));
  other["tflops"] = nullptr;
  CHECK(refusal(other) == "");
}

TEST_CASE("a record's time is one that the calendar and the clock have") {
  const auto at = [](const std::string& time) {
    Json record = some_record();
    record["time"] = time;
    return refusal(record);
  };
  for (const char* time : {"2000-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2031-12-31T12:30:00Z"})
    CHECK(at(time) == "");
  for (const std::string time :
       {"2031-13-45T99:99:99Z", "2023-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01", "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z", "2026-01-01T00:00:00Z ", "-026-01-01T00:00:00Z", ""})
    CHECK(at(time) == "here: time: \"" + time + "\", must be a date and a time, as in 2026-03-01T12:00:00Z");
}
