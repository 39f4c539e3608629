// What `convlens view --measure` writes, and what it says where there is nothing to write: workers that are dead,
// foreign, hung or slow, rows that cannot run here.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/measure/device.h"
#include "algorithms/measure/machine.h"
#include "kernels/runtime.h"
#include "tests/catch.h"
#include "tests/support/command.h"

namespace {

using namespace convlens;

const std::string kWorker = "'" + std::string(CONVLENS_BINARY_DIR) + "/convlens' worker --threads 1";
const std::string kHello = R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}'; )";
const std::string kThreeSamples =
    kHello + R"(read line; echo '{"is":"started","id":1,"run":"direct.cpu","unit":"cpu","flops":1000000,)"
             R"("executed_flops":1000000,"tensor_bytes":1,"workspace_bytes":0}'; )"
             R"(echo '{"is":"samples","id":1,"ms":[2,2.5,3]}'; )";

// Goes on for ever, and after a while, in which what it has said has come, has Ctrl-C sent.
const std::string kInterrupted = R"(sleep 1; touch "$INTERRUPT"; sleep 3600)";

// Whether the viewer is not built here.
bool left_out(const CommandResult& result) {
  if (result.exit != 3 || result.err.find("is built where") == std::string::npos) return false;
  WARN("SKIP: " << result.err);
  return true;
}

class Pictured {
 public:
  explicit Pictured(const std::vector<std::string>& more) {
    std::vector<std::string> words{"view", "1x8x16x16 --filter 8x3x3", "--export", table(), "--screenshot", picture()};
    words.insert(words.end(), more.begin(), more.end());
    result = convlens_command(words);
  }
  bool left_out() const { return ::left_out(result); }
  bool wrote() const { return std::filesystem::exists(table()) || std::filesystem::exists(picture()); }
  bool wrote_both() const { return std::filesystem::exists(table()) && std::filesystem::exists(picture()); }
  nlohmann::json rows() const { return nlohmann::json::parse(std::ifstream(table())); }

  CommandResult result;

 private:
  std::string table() const { return folder_.path() + "/out.json"; }
  std::string picture() const { return folder_.path() + "/out.png"; }
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a worker that is dead, foreign, hung or none fails the call in one line, and nothing is written") {
  const std::vector<std::pair<std::string, std::string>> workers{
      {"exit 1", "exit code 1"},
      {"no-such-program-97531", "exit code 127"},
      {"yes nonsense", "nonsense"},
      {R"(echo '{"is":"hello","protocol":97531}'; sleep 60)", "protocol 97531"},
      {kHello + "read line; kill -9 $$", "signal 9"},
      {kHello + "sleep 60", "has not answered"},
  };
  for (const auto& [worker, named] : workers) {
    const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "0.2", "--worker", worker});
    if (call.left_out()) return;
    INFO(worker << " → " << call.result.err);
    CHECK(call.result.exit == 4);
    REQUIRE(call.result.err_lines().size() == 1);
    CHECK(call.result.err.find("--worker: ") != std::string::npos);
    CHECK(call.result.err.find(named) != std::string::npos);
    CHECK_FALSE(call.wrote());
  }
}

TEST_CASE("a worker that ends midway, of another revision, fails the call, and what it has measured is written") {
  const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "3", "--worker",
                       kThreeSamples + "sleep 0.3; exit 7"});
  if (call.left_out()) return;
  INFO(call.result.err);
  CHECK(call.result.exit == 4);
  REQUIRE(call.result.err_lines().size() == 1);
  CHECK(call.result.err.find("exit code 7; what was measured before is written") != std::string::npos);
  REQUIRE(call.wrote_both());
  const nlohmann::json row = call.rows().front();
  CHECK(row.at("samples") == 3);
  CHECK(row.at("source").get<std::string>().starts_with("measured on c, "));
  CHECK(row.at("source").get<std::string>().ends_with(", revision r"));
  const std::string worker = row.at("worker");
  CHECK(worker.find("is of revision \"r\", this program of \"" + revision()) != std::string::npos);
  CHECK(worker.find("it ended with exit code 7") != std::string::npos);
}

TEST_CASE("answers that are thrown away are said in one line, and the others are written") {
  for (const bool nonsense : {true, false}) {
    const std::string wrong = R"( | sed -u '1a {"is":"samples","id":1,"ms":[NaN]}')";
    const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "0.3", "--worker",
                         kWorker + (nonsense ? wrong : "")});
    if (call.left_out()) return;
    INFO(call.result.err);
    CHECK(call.result.exit == 0);
    CHECK(call.wrote_both());
    const auto lines = call.result.err_lines();
    CHECK(std::ranges::count_if(lines, [](const std::string& line) {
            return line.starts_with("view: the worker has said what is none of its language: ") &&
                   line.ends_with("; that is left out");
          }) == (nonsense ? 1 : 0));
  }
}

TEST_CASE("what was measured until Ctrl-C is written, picture and data") {
  for (const bool measured : {true, false}) {
    const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "3600", "--worker",
                         (measured ? kThreeSamples : kHello) + kInterrupted});
    if (call.left_out()) return;
    INFO(call.result.err);
    CHECK(call.result.exit == 130);
    CHECK(call.result.err_lines().size() == 1);
    CHECK(call.result.err.starts_with("view: interrupted, "));
    CHECK(call.wrote_both() == measured);
    CHECK(call.wrote() == measured);
    if (measured) CHECK(call.rows().front().at("samples") == 3);
  }
}

TEST_CASE("a batch size without a layer is of the layer that is shown") {
  const TemporaryFolder folder;
  const std::string cv9 = folder.path() + "/cv9.json", file = folder.path() + "/out.json";
  if (left_out(convlens_command({"view", "cv9", "--save", cv9}))) return;
  const auto written = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "view");
    const CommandResult result = convlens_command(words);
    INFO(result.err);
    REQUIRE(result.exit == 0);
    return nlohmann::json::parse(std::ifstream(file));
  };
  CHECK(written({"--batch", "7", "--save", file}).at("problem").at("n") == 7);
  CHECK(written({"--batch", "3", "--state", cv9, "--save", file}).at("problem").at("n") == 3);
  const auto bytes = [&](const std::string& batch) {
    return written({"--panel", "memory", "--batch", batch, "--export", file}).front().at("bytes").get<std::int64_t>();
  };
  CHECK(bytes("7") == 7 * bytes("1"));
  const CommandResult none = convlens_command(
      {"view", "--panel", "performance", "--batch", "0", "--live", "direct.cpu", "--measure", "0.1", "--export", file});
  CHECK(none.exit == 3);
  CHECK(none.err.find("n: 0, must be ≥ 1 for --measure") != std::string::npos);
}

TEST_CASE("a worker that is slow to start has the whole time of --measure, from its first sample on") {
  const Pictured call(
      {"--panel", "performance", "--live", "direct.cpu", "--measure", "0.3", "--worker", "sleep 2; exec " + kWorker});
  if (call.left_out()) return;
  INFO(call.result.err);
  REQUIRE(call.result.exit == 0);
  const std::string source = call.rows().front().at("source");
  CHECK(source.starts_with("measured on " + machine().cpu + ", 20"));
  CHECK(source.ends_with(", revision " + revision().substr(0, 7)));
  CHECK(call.rows().front().at("worker") == "");
  CHECK(call.rows().front().at("tflops").get<double>() > 0);
}

TEST_CASE("a run that cannot be measured fails the call, and what there was no time for is counted") {
  if (!why_no_device().empty()) {
    const Pictured call({"--panel", "performance", "--live", "im2win.cc", "--measure", "0.2"});
    if (call.left_out()) return;
    INFO(call.result.err);
    CHECK(call.result.exit == 4);
    CHECK(call.result.err_lines().size() == 1);
    CHECK(call.result.err.find("im2win.cc, cannot be measured") != std::string::npos);
    CHECK_FALSE(call.wrote());
    CHECK(Pictured({"--panel", "kernel", "--algorithm", "im2win.cc", "--measure", "1"}).result.exit == 4);
  }
  const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "0.05"});
  if (call.left_out()) return;
  REQUIRE(call.result.exit == 0);
  const nlohmann::json rows = call.rows();
  const auto missing = std::ranges::count_if(rows, [](const auto& row) { return row.at("source") == ""; });
  INFO(call.result.err);
  CHECK(missing > 0);
  REQUIRE(call.result.err_lines().size() == 1);
  CHECK(call.result.err.find(std::to_string(missing) + " of the " + std::to_string(rows.size()) + " runs") !=
        std::string::npos);
}

TEST_CASE("every line that is measured is in the data, with what it is shown as") {
  const Pictured call({"--panel", "performance", "--live", "im2win.cpu", "--live", "direct.cpu:simd=off", "--live",
                       "direct.cpu", "--measure", "0.6"});
  if (call.left_out()) return;
  INFO(call.result.err);
  REQUIRE(call.result.exit == 0);
  const nlohmann::json rows = call.rows();
  std::vector<std::string> ghosts;
  for (const auto& row : rows)
    if (row.at("shown_as") == "ghost") {
      ghosts.push_back(row.at("run"));
      CHECK(row.at("source").get<std::string>().starts_with("measured on "));
      CHECK(row.at("samples").get<int>() > 0);
      CHECK(row.at("layer") == "1x8x16x16 --filter 8x3x3");
    }
  CHECK(ghosts == std::vector<std::string>{"im2win.cpu", "direct.cpu:simd=off"});
  CHECK(rows.front().at("shown_as") == "live");
  CHECK(rows.front().at("run") == "direct.cpu");
  CHECK(std::ranges::any_of(rows, [](const auto& row) { return row.at("shown_as") == "peer"; }));
}

TEST_CASE("measuring where nothing of it would be seen is refused") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"--panel", "memory", "--measure", "1"}, "--measure: "},
      {{"--panel", "memory", "--worker", kWorker}, "--worker: "},
      {{"--panel", "performance", "--worker", kWorker}, "--worker: "},
  };
  for (const auto& [words, named] : calls) {
    const Pictured call(words);
    if (call.left_out()) return;
    INFO(call.result.err);
    CHECK(call.result.exit == 2);
    CHECK(call.result.err_lines().size() == 1);
    CHECK(call.result.err.find(named) != std::string::npos);
    CHECK_FALSE(call.wrote());
  }
  CHECK(convlens_command({"view", "--measure", "1"}).exit == 2);
}

TEST_CASE("Ctrl-C ends what is measured for a picture, and what there is of it is kept") {
  const TemporaryFolder folder;
  const std::string table = folder.path() + "/out.json";
  const auto interrupted = [&](const std::string& worker) {
    return run_command({.arguments = {"view", "--layer", "cv12", "--panel", "performance", "--live", "im2win.cpu",
                                      "--measure", "3600", "--export", table, "--worker", worker}});
  };
  const CommandResult nothing = interrupted(kInterrupted);
  if (left_out(nothing)) return;
  INFO(nothing.err);
  CHECK(nothing.exit == 130);
  CHECK_FALSE(std::filesystem::exists(table));
  // Samples at once, and none of what the run is compared with.
  const std::string samples = R"(read line; yes '{"is":"samples","id":1,"ms":[2]}' & )" + kInterrupted;
  const CommandResult some = interrupted(kHello + samples);
  INFO(some.err);
  CHECK(some.exit == 130);
  CHECK(std::filesystem::exists(table));
}

TEST_CASE("Ctrl-C ends a picture, or data, of a kernel that takes long to compile, and nothing is written") {
  if (const std::string why = gpu::why_no_runtime(); !why.empty()) {
    WARN("SKIP: " << why);
    return;
  }
  const TemporaryFolder folder;
  const std::string state = folder.path() + "/state.json";
  std::string text = "#define A0 x x x x x x x x x x\n";
  for (int k = 1; k <= 11; ++k) {
    text += "#define A" + std::to_string(k);
    for (int times = 0; times < 10; ++times) text += " A" + std::to_string(k - 1);
    text += "\n";
  }
  std::ofstream(state) << nlohmann::json{
      {"convlens_state", 1}, {"panel", "kernel"}, {"kernel", {{"texts", {{"im2win/im2win_cc.cu", text + "A11\n"}}}}}};
  for (const std::vector<std::string>& what : std::vector<std::vector<std::string>>{
           {"--screenshot", "out.png"}, {"--export", "out.csv"}, {"--screenshot", "out.png", "--export", "out.csv"}}) {
    std::vector<std::string> words{"view", "--state", state, "--algorithm", "im2win.cc"};
    words.insert(words.end(), what.begin(), what.end());
    // While it begins, and while the compiler is at it, which would end that itself after 60 s.
    for (const double after : {0.3, 4.0}) {
      const CommandResult result = run_command({.arguments = words, .folder = folder.path(), .interrupt_after = after});
      if (left_out(result)) return;
      INFO(what.front() << ", after " << after << " s: " << result.err);
      CHECK((result.exit == 130 || result.signal == SIGINT));  // which is before the program has begun
      CHECK(result.seconds < 60);
      CHECK_FALSE(std::filesystem::exists(folder.path() + "/out.png"));
      CHECK_FALSE(std::filesystem::exists(folder.path() + "/out.csv"));
    }
  }
}

TEST_CASE("of no image there is nothing to measure, and --measure says so") {
  const Pictured call({"--panel", "performance", "--live", "direct.cpu", "--measure", "0.2", "--batch", "0"});
  if (call.left_out()) return;
  INFO(call.result.err);
  CHECK(call.result.exit == 3);
  CHECK(call.result.err.find("n: 0, must be ≥ 1 for --measure") != std::string::npos);
  CHECK_FALSE(call.wrote());
}
