// Cases as a user of the command meets them: exit codes, one clear line, and files that are written whole or
// not at all.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/conv_tester.h"
#include "tests/support/npy_file.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

using Words = std::vector<std::string>;

// Runs the command, which must refuse with `exit` and one line that holds `word`, and must leave the file
// named after -o as it was.
void refuses(Words arguments, int exit, const std::string& word) {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/out.npy";
  std::ofstream(output) << "old";
  if (arguments.front() != "check" && arguments.front() != "explain") arguments.insert(arguments.end(), {"-o", output});
  const CommandResult result = convlens_command(arguments);
  INFO(result.err);
  CHECK(result.exit == exit);
  REQUIRE_FALSE(result.err_lines().empty());
  CHECK(result.err_lines().front().find("convlens: ") == 0);
  CHECK(result.err_lines().front().find(word) != std::string::npos);
  CHECK(result.out.empty());
  CHECK(contents(output) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // no temporary file is left
}

// Words of a command that convolves two .npy files by one row.
Words run_words(const std::string& folder, const std::string& algorithm, const Words& more = {}) {
  Words words{"run",     "--input", folder + "/x.npy", "--filter", folder + "/w.npy", "--algorithm",
              algorithm, "-o",      folder + "/y.npy"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("B61: `run` on two arrays gives the correlation, by every row", "[cases]") {
  const TemporaryFolder folder;
  write_npy(folder.path() + "/x.npy", {1, 1, 5, 2},
            [](auto, auto, auto h, auto w) { return static_cast<double>(2 * h + w); });
  write_npy(folder.path() + "/w.npy", {1, 1, 2, 1},
            [](auto, auto, auto u, auto) { return static_cast<double>(u + 1); });
  const ConvProblem problem({.hi = 5, .wi = 2, .hf = 2, .wf = 1});
  for (const Variant& variant : variants()) {
    INFO(variant.name());
    if (!variant.row->supports({problem, DType::f32, {}, variant.options})) {
      CHECK(variant.row->family == "winograd");  // of which some choices need 3x3 filters
      continue;
    }
    const CommandResult result = convlens_command(run_words(folder.path(), variant.name()));
    INFO(result.err);
    REQUIRE(result.exit == 0);
    const Array y = read_npy(folder.path() + "/y.npy");
    CHECK(y.shape == "(1, 1, 4, 2)");
    REQUIRE(y.values.size() == 8);
    for (std::size_t k = 0; k < 8; ++k) CHECK(y.values[k] == Approx(4 + 3 * static_cast<double>(k)).margin(1e-5));
  }
}

TEST_CASE("B50: `run` takes a filter of 4x1x3x3 on two channels for depthwise with two outputs a channel", "[cases]") {
  const TemporaryFolder folder;
  write_npy(folder.path() + "/x.npy", {1, 2, 5, 6}, XH);
  write_npy(folder.path() + "/w.npy", {4, 1, 3, 3}, WH);
  for (const Algorithm* row : rows_here()) {
    if (row->vendor || row->unit == Unit::tc) continue;  // which may lack the layer, or take no f32
    const CommandResult result = convlens_command(run_words(folder.path(), row->id, {"--pad", "1"}));
    INFO(row->id << result.err);
    REQUIRE(result.exit == 0);
    Array y = read_npy(folder.path() + "/y.npy");
    for (double& value : y.values) value = std::round(value);
    CHECK(y.shape == "(1, 4, 5, 6)");
    CHECK(check_sums(y.values) == CheckSums{30, 2784});
  }
}

TEST_CASE("B17: an empty batch is exit 0 with n/a for rates, and an empty array", "[cases]") {
  const CommandResult bench =
      convlens_command({"bench", "0x3x5x7", "--filter", "4x3x3", "--pad", "1", "--repeats", "1"});
  CHECK(bench.exit == 0);
  CHECK(bench.out.find("n/a") != std::string::npos);
  CHECK(bench.out.find("inf") == std::string::npos);
  CHECK(bench.out.find("nan") == std::string::npos);
  CHECK(convlens_command({"check", "0x3x5x7", "--filter", "4x3x3", "--pad", "1", "--dtype", "f32"}).exit == 0);

  const TemporaryFolder folder;
  write_npy(folder.path() + "/x.npy", {0, 3, 5, 7}, XH);
  write_npy(folder.path() + "/w.npy", {4, 3, 3, 3}, WH);
  const CommandResult run = convlens_command(run_words(folder.path(), "direct", {"--pad", "1"}));
  INFO(run.err);
  CHECK(run.exit == 0);
  CHECK(read_npy(folder.path() + "/y.npy").shape == "(0, 4, 5, 7)");
}

TEST_CASE("B25: Winograd with a stride or a dilation is exit 3, and no file is touched", "[cases]") {
  const auto winograd = [](const std::string& command, const Words& more) {
    Words words{command, "1x4x8x8", "--filter", "4x3x3", "--algorithm", "winograd"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (const std::string command : {"bench", "check", "explain"}) {
    INFO(command);
    refuses(winograd(command, {"--stride", "2"}), 3, "stride 1, got 2x2");
    refuses(winograd(command, {"--stride", "1x2"}), 3, "stride 1, got 1x2");
    refuses(winograd(command, {"--dilation", "2"}), 3, "dilation 1, got 2x2");
  }
  refuses({"run", "--filter", "sobel-x", "--stride", "2", "--algorithm", "winograd"}, 3, "stride 1, got 2x2");
}

TEST_CASE("B58, B60: a kernel beyond the padded input is exit 2, names the kernel, and touches no file", "[cases]") {
  const Words too_wide{"1x1x5x5", "--filter", "1x3x3", "--pad", "1", "--dilation", "4"};
  const Words unpadded{"1x1x2x2", "--filter", "1x3x3"}, five{"1x1x2x2", "--filter", "1x5x5", "--pad", "1"};
  for (const std::string command : {"bench", "check", "explain"})
    for (const Words& layer : {too_wide, unpadded, five}) {
      Words words{command};
      words.insert(words.end(), layer.begin(), layer.end());
      if (command == "explain") words.insert(words.end(), {"--algorithm", "im2col"});
      refuses(words, 2, "hf: " + layer[2].substr(2, 1) + ", ");
    }
}

TEST_CASE("B10: more memory than the limit is exit 3 with the bytes, and so are sizes beyond 64 bits", "[cases]") {
  const Words layer{"bench", "1x32x2800x2800", "--filter", "4x3x3",       "--pad",
                    "1",     "--memory-limit", "8GiB",     "--algorithm", "im2col"};
  refuses(layer, 3, "9031680000");
  for (const std::string command : {"bench", "check"})
    refuses({command, "1x4194304x4194304x4194304", "--filter", "1x3x3"}, 3, "overflows 64 bits");
}

TEST_CASE("B27: `bench` counts FLOPs once, and calls the rate of a transform effective", "[cases]") {
  const CommandResult json = convlens_command({"bench", "1x32x28x28", "--filter", "64x3x3", "--pad", "1", "--groups",
                                               "32", "--algorithm", "direct", "--repeats", "3", "--json"});
  REQUIRE(json.exit == 0);
  const auto record = nlohmann::json::parse(json.out);
  CHECK(record["tflops"].get<double>() * 1e12 * record["median_ms"].get<double>() / 1e3 == Approx(903168));

  const auto table = [](const std::string& algorithm) {
    return convlens_command({"bench", "1x8x12x12", "--filter", "8x3x3", "--algorithm", algorithm, "--repeats", "1"})
        .out;
  };
  CHECK(table("winograd").find("effective") != std::string::npos);
  CHECK(table("fft").find("effective") != std::string::npos);
  CHECK(table("direct").find("effective") == std::string::npos);
}

TEST_CASE("B37: a decimal comma in the environment changes neither what is read nor what is written", "[cases]") {
  const TemporaryFolder folder;
  const auto run = [](const Words& words) {
    return run_command({.arguments = words, .environment = {{"LC_ALL", "de_DE.UTF-8"}}});
  };
  const Words bench{"bench",  "1x2x9x9",   "--filter", "2x3x3",     "--algorithm",
                    "direct", "--repeats", "2",        "--seconds", "0.01"};
  Words json = bench, csv = bench;
  json.push_back("--json");
  csv.push_back("--csv");
  CHECK(nlohmann::json::parse(run(json).out)["samples_ms"].size() >= 2);
  const CommandResult table = run(csv);
  REQUIRE(table.out_lines().size() == 2);
  CHECK(table.out.find("nan") == std::string::npos);

  Words comma = bench;
  comma.back() = "0,01";
  const CommandResult refused = run(comma);
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("0,01") != std::string::npos);
}

TEST_CASE("B55: a record of `bench` names its clock, its warm-ups and what was timed", "[cases]") {
  const CommandResult result = convlens_command({"bench", "1x2x9x9", "--filter", "2x3x3", "--algorithm", "winograd",
                                                 "--repeats", "4", "--warmup", "1", "--json"});
  REQUIRE(result.exit == 0);
  const auto record = nlohmann::json::parse(result.out);
  CHECK(record["clocks"]["timer"] == "steady_clock");
  CHECK(record["timed"] == "call");
  CHECK(record["samples_ms"].size() == 4);
  CHECK(record["engine_notes"].dump().find("warm-up: 1 calls") != std::string::npos);
  CHECK(record["algorithm"] == "winograd.ref");
}

TEST_CASE(
    "B56: a machine without a GPU works on the CPU, says so when asked for `auto`, and is exit 4 when asked "
    "for the GPU",
    "[cases]") {
  const auto on = [](const std::string& device) {
    return run_command({.arguments = {"check", "1x1x5x2", "--filter", "1x2x1", "--algorithm", "direct", "--dtype",
                                      "f32", "--device", device},
                        .environment = {{"CUDA_VISIBLE_DEVICES", ""}}});
  };
  CHECK(on("cpu").exit == 0);
  const CommandResult automatic = on("auto");
  CHECK(automatic.exit == 0);
  CHECK(automatic.err.find("CPU, because ") != std::string::npos);
  CHECK(run_command({.arguments = {"list", "devices"}, .environment = {{"CUDA_VISIBLE_DEVICES", ""}}}).exit == 0);

  const CommandResult gpu = on("gpu");
  CHECK(gpu.exit == 4);
  CHECK(gpu.err_lines().size() == 1);
  CHECK(gpu.err.find("device: gpu0, ") != std::string::npos);
  refuses({"check", "1x1x5x2", "--filter", "1x2x1", "--device", "gqu"}, 2, "device: gqu");
}
