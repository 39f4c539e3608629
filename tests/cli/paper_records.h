// Records as `convlens paper` draws them, made of one that somebody measured.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "algorithms/interface/registry.h"
#include "algorithms/worker/recorded.h"
#include "tests/catch.h"
#include "tests/support/command.h"

namespace convlens::paper_records {

using nlohmann::json, nlohmann::ordered_json;

inline const std::string kRecorded = std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-cv-n256-f32.jsonl";

// A record of cv9 that somebody measured, to be changed.
inline json recorded() {
  std::ifstream file(kRecorded);
  for (std::string line; std::getline(file, line);)
    if (json record = json::parse(line); record["layer"] == "cv9") return record;
  FAIL("no record of cv9 in " << kRecorded);
  return {};
}

// So many TFLOPS of the record's problem, of the median: the best sample is a tenth better.
inline void set_rate(json& r, double tflops) {
  const ordered_json of = r;
  const double median = static_cast<double>(ConvProblem(recorded_spec(of)).flops()) / tflops * 1e-9;
  r["tflops"] = tflops, r["median_ms"] = median, r["min_ms"] = median / 1.1;
  r["samples_ms"] = {median, median / 1.1, 1.2 * median};
}

// The record of a run of so many TFLOPS, whose best sample is a tenth better, and of so many bytes.
inline std::string record(const std::string& name, double tflops, std::int64_t peak, const std::string& dtype = "f16",
                          const std::string& layout = "NHWC") {
  const Run run = parse_run(name);
  json r = recorded();
  r["algorithm"] = run.algorithm->id;
  r["options"] = json(run.options.values());
  r["run"] = run_name(*run.algorithm, run.options);
  r["dtype"] = dtype;
  r["unit"] = convlens::name(run.algorithm->unit_for(*parse_dtype(dtype)));
  r["layout"]["x"] = layout;
  set_rate(r, tflops);
  r["peak_bytes"] = peak;
  r["workspace_bytes"] = peak - 200;
  r["bytes"] = {{"x", 100}, {"w", 10}, {"y", 90}, {"im2win", peak - 200}};
  r["engine_notes"] = {"ceilings of this run: 50.0 TFLOPS f32, 500.0 TFLOPS f16, 4.00 TB/s",
                       "the device's free memory fell by " + std::to_string(2 * peak) + " bytes"};
  return r.dump() + "\n";
}

class Records {
 public:
  explicit Records(const std::string& text) { std::ofstream(path()) << text; }
  std::string path() const { return folder_.path() + "/records.jsonl"; }
  CommandResult paper(const std::string& more = "") const {
    return convlens_command(shell_words("paper --from " + path() + " " + more));
  }
  json report() const {
    const CommandResult result = paper("--json");
    INFO(result.err);
    REQUIRE(result.exit == 0);
    return json::parse(result.out);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace convlens::paper_records
