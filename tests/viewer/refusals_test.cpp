// What a call of `convlens view` asks for in vain is refused in one line, and nothing is written.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "viewer/logic/state.h"

namespace {

using namespace convlens;

struct Refusal {
  std::vector<std::string> arguments;
  int exit;
  std::vector<std::string> named;
};

bool left_out(const CommandResult& result) {
  if (result.exit != 3 || result.err.find("is built where") == std::string::npos) return false;
  WARN("SKIP: " << result.err);
  return true;
}

}  // namespace

TEST_CASE("what is beyond a tensor, a grid or a table is refused by view, never moved to what is nearest") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json", table = folder.path() + "/out.csv";
  const std::vector<Refusal> refusals{
      {{"--algorithm", "im2win.cc", "--arrangement", "schedule", "--block", "999999"},
       2,
       {"--block: 999999", "must be <"}},
      {{"--algorithm", "im2win.ref", "--arrangement", "schedule", "--block", "1"}, 2, {"--block: 1", "must be 0"}},
      {{"--tour", "0"}, 2, {"--tour", "0", "from 1 to 8"}},
      {{"--at", "0,0,54,0"}, 2, {"--at: 0,0,54,0", "1,64,54,54"}},
      {{"--at", "0,0,1,1,1"}, 2, {"--at: 0,0,1,1,1", "at most 4"}},
      {{"--tensor", "im2wim.ref/im2win"}, 2, {"--tensor: im2wim.ref/im2win"}},
      {{"--algorithm", "im2win.ref", "--arrangement", "schedule"}, 3, {"schedule", "im2win.ref", "for a GPU"}},
      {{"--panel", "numerics", "--memory-limit", "0"}, 2, {"--memory-limit: 0", "positive size"}},
      {{"0x4x11x9 --filter 6x3x2"}, 3, {"export: layouts", "N is 0"}},
      {{"0x4x11x9 --filter 6x3x2", "--arrangement", "copies"}, 3, {"export: layouts", "N is 0"}},
      {{"1x3x16384x16384 --filter 8x3x3", "--arrangement", "copies"}, 3, {"copies", "16384", "rows of a table"}},
  };
  for (const Refusal& refusal : refusals) {
    std::vector<std::string> words{"view"};
    words.insert(words.end(), refusal.arguments.begin(), refusal.arguments.end());
    words.insert(words.end(), {"--export", table});
    const CommandResult result = convlens_command(words);
    if (left_out(result)) return;
    INFO(refusal.arguments.back() << ": " << result.err);
    CHECK(result.exit == refusal.exit);
    CHECK(result.err_lines().size() == 1);
    for (const std::string& word : refusal.named) CHECK(result.err.find(word) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(table));
  }
}

TEST_CASE("a picture and data in one file are refused, however its name is written, and nothing is written") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/same.csv";
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/again");
  for (const std::string& picture : {file, folder.path() + "/./same.csv", folder.path() + "/again/same.csv"}) {
    const CommandResult result = convlens_command({"view", "--screenshot", picture, "--export", file});
    if (left_out(result)) return;
    INFO(result.err);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK(result.err.find("must be another file than that of --screenshot") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(file));
  }
}

TEST_CASE("a run with thousands of options is refused by its beginning") {
  const TemporaryFolder folder;
  std::string run = "im2win.cpu:simd=on";
  for (int k = 0; k < 5000; ++k) run += ",simd=on";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--set", "performance.run=" + run}, std::vector<std::string>{"--live", run},
        std::vector<std::string>{"--live", "im2win.cpu:" + std::string(5000, 'x')},
        std::vector<std::string>{"--live", std::string(5000, 'x')},
        std::vector<std::string>{"--set", "kernel.run=" + run}}) {
    std::vector<std::string> call{"view", "--panel", "performance", "--export", folder.path() + "/out.csv"};
    call.insert(call.end(), words.begin(), words.end());
    const CommandResult result = convlens_command(call);
    if (left_out(result)) return;
    INFO(result.err);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK(result.err.size() < 1000);
  }
}

TEST_CASE("a state file whose fields contradict its layer and rows is refused in one line that names the field") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json", picture = folder.path() + "/out.png";
  std::vector<std::pair<std::string, viewer::State>> wrong(14, {"", viewer::first_state()});
  wrong[0] = {"cursor.at: (0, 0, 99, 23)", wrong[0].second}, wrong[0].second.cursor.at[2] = 99;
  wrong[1] = {"cursor.tensor: gone", wrong[1].second}, wrong[1].second.cursor.tensor = "gone";
  wrong[2] = {"layer: cv9", wrong[2].second}, wrong[2].second.spec.hi = 999999;
  wrong[3] = {"overflow", wrong[3].second}, wrong[3].second.spec.n = std::int64_t{1} << 60;
  wrong[4] = {"runs: im2win.ref:gone=1", wrong[4].second}, wrong[4].second.runs.push_back("im2win.ref:gone=1");
  wrong[5] = {"stride_h: 0, must be ≥ 1", wrong[5].second};
  wrong[5].second.layer = "", wrong[5].second.spec.stride_h = 0;
  wrong[6] = {"block: 5000", wrong[6].second};
  wrong[6].second.arrangement = "schedule", wrong[6].second.block = 5000;
  wrong[7] = {"kernel.step: 77", wrong[7].second}, wrong[7].second.panel = "kernel", wrong[7].second.kernel.step = 77;
  wrong[8] = {"performance.run: gone", wrong[8].second};
  wrong[8].second.panel = "performance", wrong[8].second.performance.run = "gone";
  wrong[9] = {"kernel.run: im2win.cpu", wrong[9].second}, wrong[9].second.kernel.run = "im2win.cpu";
  wrong[10] = {"kernel.run: cudnn.best", wrong[10].second}, wrong[10].second.kernel.run = "cudnn.best";
  wrong[11] = {"kernel.texts: gone.cu", wrong[11].second}, wrong[11].second.kernel.texts["gone.cu"] = "int x;";
  wrong[12] = {"numerics.run: fft.ref:gone=1", wrong[12].second}, wrong[12].second.numerics.run = "fft.ref:gone=1";
  wrong[13] = {"numerics.run: im2win.cpu", wrong[13].second};
  wrong[13].second.panel = "numerics", wrong[13].second.numerics.run = "im2win.cpu";  // which is not on show
  for (const auto& [named, state] : wrong) {
    viewer::write_state(state, file);
    const CommandResult result = convlens_command({"view", "--state", file, "--screenshot", picture});
    if (left_out(result)) return;
    INFO(named << ": " << result.err);
    CHECK((result.exit == 2 || (result.exit == 3 && named == "overflow")));
    CHECK(result.err_lines().size() == 1);
    CHECK(result.err.find(named) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(picture));
  }
}

TEST_CASE("another layer on the command line takes along a cursor that nobody has placed") {
  const TemporaryFolder folder;
  const std::string table = folder.path() + "/out.csv";
  const CommandResult result =
      convlens_command({"view", "1x2x5x5 --filter 2x3x3", "--arrangement", "grids", "--export", table});
  if (left_out(result)) return;
  INFO(result.err);
  CHECK(result.exit == 0);
  CHECK(std::filesystem::exists(table));
}

TEST_CASE("a picture is written as PNG into a .png, and data as a table into a .csv or .json, or not at all") {
  const TemporaryFolder folder;
  for (const auto& [option, names, rule] :
       {std::tuple{"--screenshot", std::vector{"x.jpg", "x", "x.PNG.txt", ".jpeg"}, "must end in .png"},
        std::tuple{"--export", std::vector{"x.png", "x", "x.csv.gz"}, "must end in .csv or .json"}})
    for (const std::string name : names) {
      const std::string file = folder.path() + "/" + name;
      const CommandResult result = convlens_command({"view", option, file});
      if (left_out(result)) return;
      INFO(option << " " << name << ": " << result.err);
      CHECK(result.exit == 2);
      CHECK(result.err_lines() == std::vector{"convlens: " + std::string(option) + ": " + file + ", " + rule});
      CHECK_FALSE(std::filesystem::exists(file));
    }
}

TEST_CASE("the option --memory-limit is the Memory panel's limit") {
  const TemporaryFolder folder;
  const std::string table = folder.path() + "/out.json";
  const CommandResult result = convlens_command(
      {"view", "1x2x5x5 --filter 2x3x3", "--panel", "memory", "--memory-limit", "3MiB", "--export", table});
  if (left_out(result)) return;
  INFO(result.err);
  REQUIRE(result.exit == 0);
  const auto rows = nlohmann::json::parse(std::ifstream(table));
  REQUIRE_FALSE(rows.empty());
  for (const auto& row : rows) {
    CHECK(row["memory_limit"] == 3 << 20);
    CHECK(row["largest_batch"] > 1000);
    CHECK(row["rho"].get<double>() == Approx(9.0 / 5));
  }
}

TEST_CASE("the option --memory-limit is the state's limit, whichever panel is in front") {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/state.json", table = folder.path() + "/out.csv";
  for (const std::string& panel : viewer::panel_names()) {
    INFO(panel);
    const CommandResult save = convlens_command({"view", "--panel", panel, "--memory-limit", "1GiB", "--save", saved});
    REQUIRE(save.exit == 0);
    CHECK(viewer::read_state(saved).memory_limit == std::int64_t{1} << 30);
  }
  CHECK(convlens_command({"view", "--state", saved, "--memory-limit", "2GiB", "--save", saved}).exit == 0);
  CHECK(viewer::read_state(saved).memory_limit == std::int64_t{2} << 30);
  const CommandResult layouts = convlens_command({"view", "--memory-limit", "1GiB", "--export", table});
  if (left_out(layouts)) return;
  CHECK(layouts.exit == 0);
  CHECK(std::filesystem::exists(table));
}
