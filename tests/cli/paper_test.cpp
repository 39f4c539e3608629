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
#include "tests/cli/paper_records.h"
#include "tests/support/command.h"

using namespace convlens;
using namespace convlens::paper_records;
using Catch::Matchers::Contains;

namespace {

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

TEST_CASE("paper takes records from before a row gained an option, and names those it leaves out") {
  json old = json::parse(record("direct.tc", 400, 530));
  REQUIRE(old["options"].size() > 1);
  old["options"].erase(old["options"].begin());
  const Records records(old.dump() + "\n" + record("cudnn.best", 100, 1000) + record("im2win.tc:slice=16", 90, 530) +
                        record("im2win.tc:slice=16", 90, 530) + record("cudnn.best", 110, 1000));
  const json report = records.report();
  const json& others = named(report["figures"], "title", "Beyond the paper");
  CHECK(named(others["series"], "name", "direct TC")["median"][0] == 400);
  CHECK(named(others["series"], "name", "cuDNN TC")["median"][0] == 110);
  CHECK(report["left_out"] == json{"2 ×: im2win.tc:slice=16, f16 NHWC, recorded, does not take part",
                                   "1 ×: cuDNN TC, an earlier record than the one drawn"});
  CHECK(records.paper().err_lines() ==
        std::vector<std::string>{
            "2 records of " + records.path() + " are of runs that do not take part: 2 of im2win.tc:slice=16, f16 NHWC",
            "of several records of a run the last is drawn: 1 of cuDNN TC"});
}

TEST_CASE("paper's ledger leaves out what a library takes of the device, of whichever row calls it first") {
  json r = json::parse(record("im2col.tc", 100, 1000));
  r["bytes"]["device"] = 64 << 20;
  r["peak_bytes"] = 1000 + (64 << 20);
  r["peak_source"] = "device";
  const json report = Records(r.dump() + "\n" + record("im2win.tc:paper", 100, 500)).report();
  CHECK(named(report["ratios"], "of", "memory, im2win TC ÷ im2col+cuBLAS TC full batch")["best"].get<double>() ==
        Approx(0.5));
}

TEST_CASE("paper names a transform that a row chose when it was recorded, and would not choose today") {
  json r = json::parse(record("winograd.tc", 100, 1000));
  r["engine_notes"].push_back("F(6x6,3x3) points 0 1 -1 2 -2 1/2 -1/2 inf");
  const json report = Records(r.dump() + "\n").report();
  CHECK(named(report["figures"], "title", "Beyond the paper")["notes"].dump().find(
            "Winograd TC as it was when recorded, and not as the row chooses today: F(6×6,3×3) on cv9 (today "
            "F(3×3,3×3))") != std::string::npos);
}

TEST_CASE("paper leaves out nothing of the recorded run, and says who is missing where") {
  const std::string recorded_run = std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-paper-n256.jsonl";
  const CommandResult result = convlens_command({"paper", "--from", recorded_run, "--json"});
  CHECK(result.err == "");
  const json report = json::parse(result.out);
  const auto notes = [&](const std::string& figure) {
    std::string text;
    for (const json& note : named(report["figures"], "title", figure)["notes"]) text += note.get<std::string>() + "\n";
    return text;
  };
  const json& others = named(report["figures"], "title", "Beyond the paper");
  for (const char* name : {"direct TC", "implicit GEMM TC"})
    CHECK(named(others["series"], "name", name)["best"][0] > 0);
  CHECK_THAT(notes("Beyond the paper"), Contains("Winograd TC refused cv1, cv2: winograd needs stride 1"));
  CHECK_THAT(notes("Fig. 2, CUDA cores: TFLOPS"), Contains("im2win CC refused cv4: window: stored"));
  CHECK_THAT(notes("Fig. 3, CUDA cores: TFLOPS"), Contains("cuDNN DIRECT CC refused every layer\n") &&
                                                      Contains("cuDNN WINOGRAD CC refused every layer\n") &&
                                                      Contains("cuDNN FFT CC refused cv1, cv2, cv3, cv4\n"));
  CHECK(notes("Fig. 4") == "");
}

TEST_CASE("paper's means are geometric, of memory and of shares too") {
  const auto on = [](const char* layer, const std::string& line, std::int64_t ci) {
    json r = json::parse(line);
    r["layer"] = layer, r["problem"]["ci"] = ci;
    set_rate(r, r["tflops"]);
    return r.dump() + "\n";
  };
  const Records records(
      on("cv8", record("im2win.tc:paper", 100, 500), 8) + on("cv8", record("cudnn.best", 50, 500), 8) +
      on("cv9", record("im2win.tc:paper", 25, 2000), 9) + on("cv9", record("cudnn.best", 50, 500), 9));
  const json report = records.report();
  CHECK(named(report["ratios"], "of", "TFLOPS, im2win TC ÷ cuDNN TC")["best"].get<double>() == Approx(1));
  CHECK(named(report["ratios"], "of", "memory, im2win TC ÷ cuDNN TC")["best"].get<double>() == Approx(2));
  // Of 500 TFLOPS the best samples, a tenth better than the medians, are 22 and 5.5 %; tensors are 200 bytes.
  CHECK_THAT(named(report["ratios"], "of", "TFLOPS, im2win TC ÷ cuDNN TC")["verdict"].get<std::string>(),
             Contains("reaches 11 % (6 on cv9 to 22 on cv8)"));
  CHECK_THAT(named(report["ratios"], "of", "memory, im2win TC ÷ cuDNN TC")["verdict"].get<std::string>(),
             Contains("im2win TC holds 5.00× its input, filter and output, cuDNN 2.50×"));
  CHECK_THAT(report["about"].dump(), Contains("are geometric"));
}

TEST_CASE("paper's axes have no exponents") {
  const TemporaryFolder folder;
  for (const auto& [tflops, tick] : {std::pair{900.0, ">1000<"}, {9e5, ">1000000<"}, {0.04, ">0.05<"}}) {
    const Records records(record("im2win.tc:paper", tflops, 530));
    REQUIRE(records.paper("--html " + folder.path() + "/paper.html").exit == 0);
    std::ostringstream html;
    html << std::ifstream(folder.path() + "/paper.html").rdbuf();
    CHECK_THAT(html.str(), Contains(tick) && !Contains("e+0"));
  }
}

TEST_CASE("paper mixes no machines, batch sizes, states of L2 or problems, and writes nothing then") {
  const TemporaryFolder folder;
  const std::string page = folder.path() + "/paper.html";
  const auto changed = [](const char* field, const json& value) {
    json r = json::parse(record("im2win.tc:paper", 140, 530));
    r[json::json_pointer(field)] = value;
    if (std::string(field).starts_with("/problem")) set_rate(r, r["tflops"]);
    return r.dump() + "\n";
  };
  const auto refused = [&](const std::string& line, const std::string& says) {
    const Records first(record("cudnn.best", 100, 1000)), second(record("cudnn.best", 100, 1000) + line);
    const CommandResult result = first.paper("--from " + second.path() + " --html " + page);
    INFO(result.err);
    CHECK(result.exit == 2);
    CHECK(result.out == "");
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(second.path() + ", record 2: " + says));
    CHECK(!std::ifstream(page));
  };
  refused(changed("/gpu", "NVIDIA A100"), "gpu: NVIDIA A100, must be NVIDIA H200 as in the records before");
  refused(changed("/problem/n", 128), "problem.n: 128, must be 256 as in the records before");
  refused(changed("/l2", "warm"), "l2: warm, must be cold as in the records before");
  refused(changed("/problem/co", 65), "problem of cv9: ");
  refused(changed("/median_ms", -1), "median_ms: -1, must be above 0");
  refused(changed("/median_ms", 0), "median_ms: 0, must be above 0");
  refused(changed("/peak_bytes", -5), "peak_bytes: -5, must be ≥ 1");
  refused(changed("/schema", 7), "schema: 7, must be 1");
  refused(changed("/tflops", nullptr), "tflops: null, must be above 0");
  refused(changed("/tflops", 1e6), "tflops: 1000000.0, must be 140.");
  refused(changed("/samples_ms", json::array()), "samples_ms: [], must be a list of at least one number ≥ 0");
  refused(changed("/samples_ms", {1, 2, 4}), "median_ms: ");
  refused(changed("/min_ms", 1e-3), "min_ms: 0.001, must be ");
  refused(changed("/time", "2031-13-45T99:99:99Z"), "time: \"2031-13-45T99:99:99Z\", must be a date and a time");
  refused(changed("/peak_bytes", 5), "peak_bytes: 5, must be 530, the sum of bytes");
  for (const char* bytes : {"-3 bytes", "many bytes", "12 pages", "99999999999999999999 bytes"}) {
    const std::string note = std::string("the device's free memory fell by ") + bytes;
    refused(changed("/engine_notes/1", note),
            "engine_notes: " + json(note).dump() + ", must be of a whole number of bytes ≥ 0");
  }
  for (const char* ceilings : {"0.0 TFLOPS f32, 500.0 TFLOPS f16, 4.00 TB/s", "n/a"})
    refused(changed("/engine_notes/0", std::string("ceilings of this run: ") + ceilings),
            std::string("engine_notes: \"ceilings of this run: ") + ceilings + "\", must be as in 53.4 TFLOPS f32");
}

TEST_CASE("paper refuses records that it cannot draw, in one line") {
  const auto refused = [](const std::string& call, const std::string& says) {
    const CommandResult result = convlens_command(shell_words("paper " + call));
    INFO(call << ": " << result.err);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(says));
  };
  const TemporaryFolder folder;
  const Records none("{}\n"), words("im2win\n"), empty(""), right(record("cudnn.best", 100, 1000));
  refused("--from /nowhere/records.jsonl", "--from: /nowhere/records.jsonl, cannot be read");
  refused("--from " + folder.path(), "--from: " + folder.path() + ", must be a file, is a folder");
  refused("--from " + empty.path(), "must hold records of `convlens paper`, holds none");
  refused("--from " + none.path(), "record 1: schema: none given, must be 1");
  refused("--from " + words.path(), "record 1: a line that is no JSON");
  refused("--from " + std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/cpu-cv-n4.jsonl",
          "none is of a run that takes part: 12 of direct.cpu, f32 NHWC, on a CPU");
  refused("--from " + right.path() + " cv12", "--from: given with layers, must be alone");
  for (const char* option : {"--batch 4", "--repeats 4", "--seed 4", "--output records.jsonl"}) {
    const std::string call = option;
    refused("--from " + right.path() + " " + call,
            "--from: given with " + call.substr(0, call.find(' ')) + ", must be alone");
  }
  refused("--from " + right.path() + " --csv", "--csv: paper has many tables, must be --json");
  refused("--from " + right.path() + " --html " + right.path(), "must be another file than that of --from");
  refused("--from " + right.path() + " --html /." + right.path(), "must be another file than that of --from");
  CHECK(convlens_command(shell_words("paper --from " + right.path())).exit == 0);  // the records are still there
}
