#include "algorithms/measure/record.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "algorithms/measure/machine.h"
#include "algorithms/measure/session.h"
#include "tests/catch.h"
#include "tests/measure/some_measurement.h"
#include "tests/support/rows.h"

using namespace convlens;
using Json = nlohmann::ordered_json;

namespace {

// The fields of one line of CSV, read as RFC 4180 says.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (quoted && line[k] == '"' && k + 1 < line.size() && line[k + 1] == '"')
      fields.back() += line[k++];
    else if (line[k] == '"')
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[k];
  }
  REQUIRE(!quoted);
  return fields;
}

std::string csv_value(const std::string& row, const std::string& column) {
  const std::vector<std::string> header = csv_fields(csv_header()), fields = csv_fields(row);
  REQUIRE(fields.size() == header.size());
  const auto found = std::find(header.begin(), header.end(), column);
  REQUIRE(found != header.end());
  return fields[static_cast<std::size_t>(found - header.begin())];
}

}  // namespace

TEST_CASE("a record says what ran, where, and how long it took") {
  const auto plan = some_plan();
  const Json r = Json::parse(to_json(some_measurement(*plan)));
  CHECK(r["schema"] == 1);
  CHECK(std::regex_match(r["time"].get<std::string>(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  CHECK(r["revision"] == revision());
  CHECK(r["host"] == machine().host);
  CHECK(r["layer"] == "cv9");
  CHECK(r["problem"].dump() == R"({"n":2,"ci":3,"hi":7,"wi":9,"co":2,"hf":3,"wf":3,)"
                               R"("stride":[1,1],"pad":[0,0,0,0],"dilation":[1,1],"groups":1})");
  CHECK(r["algorithm"] == plan->algorithm().id);
  CHECK(r["run"] == plan->run_name());
  CHECK(r["layout"].dump() == R"({"x":"NCHW","w":"OIHW","y":"NCHW"})");
  CHECK(r["timed"] == "call");
  CHECK(r["l2"] == "warm");
  CHECK(r["samples_ms"] == Json({4.0, 1.0, 3.0, 2.0}));
  CHECK(r["median_ms"] == 2.5);
  CHECK(r["min_ms"] == 1.0);
  CHECK(r["tflops"].get<double>() == Approx(7560 / 2.5e9));
  CHECK(r["bytes"]["x"] == 2 * 3 * 7 * 9 * 4);
  CHECK(r["bytes"]["w"] == 2 * 3 * 3 * 3 * 4);
  CHECK(r["bytes"]["y"] == 2 * 2 * 5 * 7 * 4);
  CHECK(r["peak_bytes"] == r["bytes"]["x"].get<int>() + r["bytes"]["w"].get<int>() + r["bytes"]["y"].get<int>());
  const std::size_t notes = r["engine_notes"].size();
  REQUIRE(notes >= 2);
  CHECK(r["engine_notes"][notes - 2] == "warm-up: 2 calls");
  CHECK(r["engine_notes"][notes - 1] == "threads: " + std::to_string(plan->request().resolved_threads()));
  for (const char* field : {"gpu", "driver", "cuda", "registers", "shared_bytes", "spill_bytes", "error_over_bound"})
    CHECK(r[field].is_null());
}

TEST_CASE("a record has the fields of the schema in its order") {
  std::ifstream file(CONVLENS_SOURCE_DIR "/algorithms/measure/record.schema.json");
  Json schema = Json::parse(file);
  std::vector<std::string> fields;
  const auto plan = some_plan();
  const Json r = Json::parse(to_json(some_measurement(*plan)));
  for (const auto& [field, value] : r.items()) fields.push_back(field);
  CHECK(fields == schema["required"].get<std::vector<std::string>>());

  std::vector<std::string> columns;
  for (const std::string& field : fields) {
    const Json& described = schema["properties"][field];
    if (described["type"] != "object" || described["additionalProperties"] != false) {
      columns.push_back(field);
      continue;
    }
    for (const Json& inner : described["required"]) columns.push_back(field + "." + inner.get<std::string>());
  }
  CHECK(csv_fields(csv_header()) == columns);
}

TEST_CASE("what is no number is null in JSON and n/a in CSV, and nothing is ever infinite") {
  const auto empty = some_plan({.n = 0, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3});
  Measurement measurement = some_measurement(*empty);
  measurement.timing.samples_ms = {0, 0, 0};
  measurement.floor_fraction = INFINITY;
  const std::string line = to_json(measurement), row = to_csv(measurement);
  const Json r = Json::parse(line);
  for (const char* field : {"tflops", "tflops_executed", "floor_fraction", "error_over_bound"}) {
    CHECK(r[field].is_null());
    CHECK(csv_value(row, field) == "n/a");
  }
  measurement.timing.samples_ms = {};
  CHECK(Json::parse(to_json(measurement))["median_ms"].is_null());
  for (const std::string& text : {line, row}) {
    CHECK(text.find("inf") == std::string::npos);
    CHECK(text.find("nan") == std::string::npos);
  }
}

TEST_CASE("a record of CSV has a field for every column, whatever the texts hold") {
  const auto plan = some_plan();
  Measurement measurement = some_measurement(*plan);
  measurement.layer = "mine, \"the\nfirst\"";
  const std::string row = to_csv(measurement);
  CHECK(csv_value(row, "layer") == measurement.layer);
  CHECK(csv_value(row, "problem.hi") == "7");
  CHECK(csv_value(row, "problem.stride") == "1;1");
  CHECK(csv_value(row, "samples_ms") == "4.0;1.0;3.0;2.0");
  CHECK(csv_value(row, "bytes") == "x=1512;w=216;y=560");
  CHECK(csv_value(row, "gpu") == "n/a");
  CHECK(csv_value(row, "floor_fraction") == "0.5");
}

TEST_CASE("text that is not UTF-8 still makes strict JSON") {
  const auto plan = some_plan();
  Measurement measurement = some_measurement(*plan);
  measurement.layer = "caf\xe9";
  CHECK_NOTHROW(Json::parse(to_json(measurement)));
}

TEST_CASE("an interrupted measurement says so") {
  const auto plan = some_plan();
  Measurement measurement = some_measurement(*plan);
  measurement.timing.interrupted = true;
  CHECK(Json::parse(to_json(measurement))["engine_notes"].back() == "interrupted");
}

// Written for schema_test.py, which reads them knowing nothing but the schema.
TEST_CASE("records of every row are written", "[records]") {
  const std::filesystem::path folder = CONVLENS_BINARY_DIR "/records";
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "rows.jsonl");
  int written = 0;
  const auto write = [&](const Algorithm& row, const Request& request, bool cold) {
    if (!row.supports(request)) return;
    Session session(row.plan(request), 1);
    const Plan& plan = session.plan();
    const Timing timing = measure([&] { session.run(); }, {.repeats = 3, .cold_cache = cold});
    const bool on_host = row.unit == Unit::cpu;
    const double floor = on_host ? floor_ms(plan.flops(), request.tensor_bytes(), cpu_ceilings(1))
                                 : floor_ms(plan, device(plan.request().place).ceilings());
    file << to_json({.plan = plan,
                     .layer = "",
                     .timing = timing,
                     .cold_cache = cold,
                     .bytes = session.ledger().lines(),
                     .floor_fraction = floor / timing.median_ms(),
                     .device = on_host ? nullptr : &device(plan.request().place).facts()})
         << '\n';
    ++written;
  };

  const ConvProblem full({.n = 2, .ci = 4, .hi = 9, .wi = 8, .co = 6, .hf = 3, .wf = 3, .pad_top = 1, .bias = true});
  for (const Algorithm* row : testing::rows_here()) {
    for (DType dtype : kDTypes) write(*row, {.problem = full, .dtype = dtype}, false);
    write(*row, {.problem = full}, true);
    write(*row, {.problem = full.with_batch(0)}, false);
  }
  file.close();
  CHECK(file.good());
  CHECK(written > 0);
}
