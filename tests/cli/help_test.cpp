// --help opens with examples, and they run as they stand.
#include <cstdint>
#include <fstream>

#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;

namespace {

const std::vector<std::string> kCommands{"list", "run",    "explain", "check",  "bench", "choose", "windows",
                                         "view", "kernel", "paper",   "worker", "live",  "trace"};

// The lines under "Examples:".
std::vector<std::string> examples_in(const CommandResult& help) {
  std::vector<std::string> examples;
  bool inside = false;
  for (const std::string& line : help.out_lines()) {
    if (line.empty()) inside = false;
    if (inside) examples.push_back(line.substr(2));
    if (line == "Examples:") inside = true;
  }
  return examples;
}

// An f32 .npy of ones.
void write_npy(const std::string& path, const std::string& shape, std::size_t elements) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  const std::vector<float> ones(elements, 1.0f);
  file.write(reinterpret_cast<const char*>(ones.data()), static_cast<std::streamsize>(ones.size() * sizeof(float)));
}

}  // namespace

TEST_CASE("Help puts the examples before the options") {
  for (const std::string& command : kCommands) {
    INFO(command);
    const CommandResult help = convlens_command({command, "--help"});
    CHECK(help.exit == 0);
    CHECK(help.err == "");
    CHECK(help.out.find("Examples:") < help.out.find("Usage:"));
    CHECK(help.out.find("Usage:") < help.out.find("--memory-limit"));
    CHECK(examples_in(help).size() >= 3);
  }
}

TEST_CASE("Help lists no option that the command refuses") {
  const std::string explain = convlens_command({"explain", "--help"}).out;
  for (const char* refused : {"--suite", "--options", "--csv", "repeated", "or all", "NAME ..."}) {
    INFO(refused);
    CHECK(explain.find(refused) == std::string::npos);
    CHECK(convlens_command({"check", "--help"}).out.find(refused) != std::string::npos);
  }
  const std::string windows = convlens_command({"windows", "--help"}).out;
  for (const char* refused : {"--json", "--csv"}) {
    INFO(refused);
    CHECK(windows.find(refused) == std::string::npos);
  }
}

TEST_CASE("The help of the program shows an example of every command") {
  const CommandResult help = convlens_command({"--help"});
  CHECK(help.exit == 0);
  const std::vector<std::string> examples = examples_in(help);
  REQUIRE(examples.size() == kCommands.size());
  for (std::size_t k = 0; k < examples.size(); ++k) CHECK(examples[k].starts_with("convlens " + kCommands[k] + " "));
}

TEST_CASE("Every example of every command's help runs as it stands") {
  const TemporaryFolder folder;
  // What the examples of `run` read.
  REQUIRE(run_command({.arguments = shell_words("run --filter identity -o photo.png"), .folder = folder.path()}).exit ==
          0);
  std::ifstream photo(folder.path() + "/photo.png", std::ios::binary);
  std::ofstream(folder.path() + "/photo.jpg", std::ios::binary) << photo.rdbuf();
  // And those of `paper`.
  std::ofstream(folder.path() + "/recorded.jsonl")
      << std::ifstream(std::string(CONVLENS_SOURCE_DIR) + "/notebooks/data/gpu-cv-n256-f32.jsonl").rdbuf();
  // And those of every command that reads a state.
  std::ofstream(folder.path() + "/state.json")
      << R"({"convlens_state": 1, "layer": "", "problem": {"n": 2, "ci": 4, "hi": 9, "wi": 8, "co": 6, "hf": 3, "wf": 3},
             "runs": ["im2win.ref", "direct.cpu"]})";
  write_npy(folder.path() + "/x.npy", "1, 3, 8, 8", 192);
  write_npy(folder.path() + "/w.npy", "2, 3, 3, 3", 54);

  for (const std::string& command : kCommands)
    for (const std::string& example : examples_in(convlens_command({command, "--help"}))) {
      INFO(example);
      std::vector<std::string> words = shell_words(example);
      REQUIRE(words.front() == "convlens");
      words.erase(words.begin());
      const CommandResult result = run_command({.arguments = words, .folder = folder.path()});
      CAPTURE(result.err);
      // A trace needs a GPU, and without one says so.
      CHECK(result.exit == (command == "trace" && !why_no_device().empty() ? 4 : 0));
    }
}
