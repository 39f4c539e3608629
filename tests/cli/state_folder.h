// A folder with the state s.json, in which commands are run.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/json_lines.h"

namespace convlens::testing {

using nlohmann::ordered_json;

// A layer of its own, in NHWC, on two rows, one of them with an option that is not its default.
inline const char* const kState = R"({"convlens_state": 1, "layer": "", "problem": {"n": 2, "ci": 4, "hi": 9, "wi": 8,
  "co": 6, "hf": 3, "wf": 2, "pad_top": 1}, "dtype": "f16", "layout": {"x": "NHWC", "w": "OHWI", "y": "NHWC"},
  "runs": ["im2win.ref", "im2col.ref:batching=full"], "cursor": {"tensor": "im2win.ref/im2win", "at": [0, 1, 2, 3]},
  "seed": 7, "performance": {"run": "direct.ref", "timed": "cold"}, "kernel": {"run": "im2win.cc:double_buffer=off"}})";

class StateFolder {
 public:
  explicit StateFolder(const std::string& text = kState) { write(text); }
  const std::string& path() const { return folder_.path(); }
  void write(const std::string& text) const { std::ofstream(folder_.path() + "/s.json") << text; }
  void write_with(const std::string& pointer, const ordered_json& value) const {
    ordered_json state = ordered_json::parse(kState);
    state[ordered_json::json_pointer(pointer)] = value;
    write(state.dump());
  }
  std::string contents(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() + "/" + file).rdbuf();
    return text.str();
  }
  CommandResult run(const std::string& call) const {
    return run_command({.arguments = shell_words(call), .folder = folder_.path()});
  }
  CommandResult without_gpu(const std::string& call) const {
    return run_command(
        {.arguments = shell_words(call), .environment = {{"CUDA_VISIBLE_DEVICES", ""}}, .folder = folder_.path()});
  }
  // What a shell makes of the line, in which $CONVLENS is the command.
  CommandResult shell(const std::string& line) const {
    return run_command({.arguments = {"-c", line},
                        .environment = {{"CONVLENS", std::string(CONVLENS_BINARY_DIR) + "/convlens"}},
                        .folder = folder_.path(),
                        .program = "/bin/bash"});
  }
  std::string good(const std::string& call) const {
    const CommandResult result = run(call);
    INFO(call << "\n" << result.err);
    REQUIRE(result.exit == 0);
    return result.out;
  }
  // The record of `convlens live` without any keys.
  nlohmann::json live(const std::string& call) const {
    const CommandResult result = shell("\"$CONVLENS\" live " + call + " --seconds 0.1 --json < /dev/null");
    INFO(call << "\n" << result.err);
    REQUIRE(result.exit == 0);
    return json_lines(result.out).front();
  }

 private:
  TemporaryFolder folder_;
};

inline const std::string kLayer = "2x4x9x8 --filter 6x3x2 --pad 1x0x0x0";

}  // namespace convlens::testing
