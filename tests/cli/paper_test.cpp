// `convlens paper` from records: figures, ratios, claims and their words, and what it refuses. What it measures needs a
// GPU.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::string kRecorded = std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-cv-n256-f32.jsonl";

// A record of cv9 that somebody measured, to be changed.
json recorded() {
  std::ifstream file(kRecorded);
  for (std::string line; std::getline(file, line);)
    if (json record = json::parse(line); record["layer"] == "cv9") return record;
  FAIL("no record of cv9 in " << kRecorded);
  return {};
}

// The record of a run of so many TFLOPS, whose best sample is a tenth better, and of so many bytes.
std::string record(const std::string& name, double tflops, std::int64_t peak, const std::string& dtype = "f16",
                   const std::string& layout = "NHWC") {
  const Run run = parse_run(name);
  json r = recorded();
  r["algorithm"] = run.algorithm->id;
  r["options"] = json(run.options.values());
  r["run"] = run_name(*run.algorithm, run.options);
  r["dtype"] = dtype;
  r["layout"]["x"] = layout;
  r["tflops"] = tflops;
  r["median_ms"] = 1.1, r["min_ms"] = 1.0;
  r["peak_bytes"] = peak;
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

const json& named(const json& list, const char* key, const std::string& start) {
  for (const json& item : list)
    if (item[key].get<std::string>().starts_with(start)) return item;
  FAIL("nothing begins with " << start);
  return list;
}

}  // namespace

TEST_CASE("paper needs a GPU, or records") {
  if (!devices().empty()) return;
  const CommandResult result = convlens_command(shell_words("paper cv12 --batch 2 --repeats 1"));
  CHECK(result.exit == 4);
  CHECK(result.err_lines().size() == 1);
  CHECK(result.out == "");
}

TEST_CASE("everybody who takes part in paper has a name of its own, and options that the row has") {
  std::ifstream file(std::string(CONVLENS_SOURCE_DIR) + "/cli/paper/paper.contenders");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    INFO(line);
    std::istringstream words(line);
    std::string run, dtype, layout, name;
    words >> run >> dtype >> layout;
    std::getline(words >> std::ws, name);
    const std::string id = run.substr(0, run.find(':'));
    for (const Algorithm* row : algorithms())
      if (row->id == id) CHECK_NOTHROW(parse_run(run));
    CHECK(names.insert(name).second);
  }
  CHECK(names.contains("baseline"));
}

TEST_CASE("paper draws what there is of records, and says what is not measured") {
  const CommandResult result = convlens_command({"paper", "--from", kRecorded});
  REQUIRE(result.exit == 0);
  CHECK_THAT(result.out, Contains("Fig. 2, CUDA cores: TFLOPS") &&
                             Contains("Fig. 3, CUDA cores: memory by the ledger") && Contains("NVIDIA H200") &&
                             Contains("not measured here"));
  CHECK_THAT(result.out, !Contains("Fig. 4"));
  CHECK_THAT(result.err, Contains("do not take part"));
}

TEST_CASE("paper's ratios are of the best samples, and agree or not by their numbers") {
  const Records records(record("im2win.tc:paper", 140, 530) + record("im2win.tc:paper,zigzag=off", 120, 530) +
                        record("cudnn.best", 100, 1000) + record("im2win.cc:window=stored", 14, 900, "f32", "NCHW"));
  const json report = records.report();
  const json& cudnn = named(report["ratios"], "of", "TFLOPS, im2win TC ÷ cuDNN TC");
  CHECK(cudnn["best"].get<double>() == Approx(1.4));
  CHECK(cudnn["median"].get<double>() == Approx(1.4));
  CHECK_THAT(cudnn["verdict"].get<std::string>(),
             Contains("agrees") && !Contains("not agree") && Contains("reaches 31 % of this GPU's 500 TFLOPS"));
  const json& own = named(report["ratios"], "of", "TFLOPS, im2win TC ÷ im2win CC");
  CHECK(own["best"].get<double>() == Approx(10));
  CHECK_THAT(own["verdict"].get<std::string>(), Contains("does not agree: more than in the paper"));
  const json& memory = named(report["ratios"], "of", "memory, im2win TC ÷ cuDNN TC");
  CHECK(memory["best"].get<double>() == Approx(0.53));
  CHECK_THAT(memory["verdict"].get<std::string>(), Contains("agrees"));
  const json& image = named(report["ratios"], "of", "TFLOPS, im2win TC ÷ im2col+cuBLAS TC by image");
  CHECK(image["best"].is_null());
  CHECK(image["verdict"] == "not measured here");
}

TEST_CASE("paper's figures have the best sample, the median, and both kinds of bytes") {
  const Records records(record("im2win.tc:paper", 100, 530) + record("im2win.tc:paper,async_copy=off", 200, 640));
  const json report = records.report();
  const json& ablation = named(report["figures"], "title", "Fig. 4");
  CHECK(named(ablation["series"], "name", "baseline")["best"][0].get<double>() == Approx(110));
  CHECK(named(ablation["series"], "name", "baseline")["median"][0].get<double>() == Approx(100));
  CHECK(named(ablation["series"], "name", "wo_async")["best"][0].get<double>() == Approx(220));
  const auto gigabytes = [&](const std::string& figure) {
    return named(named(report["figures"], "title", figure)["series"], "name", "im2win TC")["best"][0].get<double>();
  };
  CHECK(gigabytes("Fig. 2, tensor cores: memory by the ledger") == Approx(640e-9));
  CHECK(gigabytes("Fig. 2, tensor cores: memory as the device reports it") == Approx(1280e-9));
  CHECK(report["table_2"][0]["im2win_tc"] == "wo_async");
  CHECK(report["table_2"][0]["cudnn_tc"] == "–");
}

TEST_CASE("paper's claims are decided by the records, and one by a count") {
  const Records records(record("direct.cc:tiling=naive", 2, 400, "f32", "NCHW") +
                        record("im2col.cc:batching=full", 30, 400, "f32", "NCHW"));
  const json report = records.report();
  CHECK(named(report["claims"], "says", "Nested loops")["verdict"] == "holds");
  CHECK_THAT(named(report["claims"], "says", "Nested loops")["decided"].get<std::string>(), Contains("uses 4.4 %"));
  CHECK(named(report["claims"], "says", "Lowering")["verdict"] == "holds");
  const json& boundaries = named(report["claims"], "says", "Transforms'");
  CHECK_THAT(boundaries["decided"].get<std::string>(), Contains("mean |error| of F(4×4, 3×3) in f32"));
  CHECK_THAT(boundaries["verdict"].get<std::string>(), Contains("hold"));
}

TEST_CASE("paper draws several files of records as one") {
  const Records one(record("im2win.tc:paper", 140, 530)), other(record("cudnn.best", 100, 1000));
  const json report = json::parse(one.paper("--json --from " + other.path()).out);
  CHECK(named(report["ratios"], "of", "TFLOPS, im2win TC ÷ cuDNN TC")["best"].get<double>() == Approx(1.4));
}

TEST_CASE("paper draws the recorded run of the repository") {
  const std::string recorded_run = std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-paper-n256.jsonl";
  const CommandResult result = convlens_command({"paper", "--from", recorded_run, "--json"});
  REQUIRE(result.exit == 0);
  const json report = json::parse(result.out);
  for (const json& ratio : report["ratios"]) CHECK(!ratio["best"].is_null());
  for (const json& claim : report["claims"]) CHECK(claim["verdict"] != "not measured here");
}

TEST_CASE("paper's HTML loads nothing, and has every figure inside") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/paper.html";
  const Records records(record("im2win.tc:paper", 140, 530) + record("cudnn.best", 100, 1000));
  REQUIRE(records.paper("--html " + path).exit == 0);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string html = text.str();
  std::size_t figures = 0;
  for (std::size_t at = html.find("<svg "); at != std::string::npos; at = html.find("<svg ", at + 1)) ++figures;
  CHECK(figures == records.report()["figures"].size());
  for (const char* loads : {"<script", "<link", "<img", "src=", "@import", "url("}) CHECK_THAT(html, !Contains(loads));
  CHECK_THAT(html, Contains("<title>im2win TC, cv9: 154.00 TFLOPS</title>") && !Contains("nan"));
}

TEST_CASE("paper refuses records that it cannot draw, in one line") {
  const auto refused = [](const std::string& call, const std::string& says) {
    const CommandResult result = convlens_command(shell_words("paper " + call));
    INFO(call << ": " << result.err);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(says));
  };
  const Records none("{}\n"), words("im2win\n"), right(record("cudnn.best", 100, 1000));
  refused("--from /nowhere/records.jsonl", "--from: /nowhere/records.jsonl, cannot be read");
  refused("--from " + none.path(), "record 1: no record of convlens");
  refused("--from " + words.path(), "record 1: no record of convlens");
  refused("--from " + std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/cpu-cv-n4.jsonl",
          "none is of a run that takes part");
  refused("--from " + right.path() + " cv12", "--from: given with layers or --output, must be alone");
  refused("--from " + right.path() + " --csv", "--csv: paper has many tables, must be --json");
}
