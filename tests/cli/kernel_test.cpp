// `convlens kernel`: texts anywhere, machine code where the toolkit is, and what is said where it isn't.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "kernels/runtime.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/rows.h"

using namespace convlens;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

CommandResult kernel(const std::string& call) { return convlens_command(shell_words("kernel " + call)); }

bool no_toolkit() {
  const std::string why = gpu::why_no_runtime();
  if (!why.empty()) std::cout << "SKIP: " << why << "\n";
  return !why.empty();
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// nvcc, or "".
std::string nvcc() {
  for (const std::string path : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
    if (std::filesystem::exists(path)) return path;
  return "";
}

}  // namespace

TEST_CASE("kernel --emit cu prints the text that is compiled for the layer, with its sizes and options") {
  const CommandResult result = kernel("direct.cc --layer cv9 --batch 256 --layout NHWC --emit cu");
  CHECK(result.exit == 0);
  CHECK(result.err_lines().size() <= 1);  // which other kernels the call has
  CHECK_THAT(result.out, Contains("static constexpr int n = 256;") && Contains("constexpr Layout x_layout = NHWC;") &&
                             Contains("__global__"));
  const CommandResult runtime = kernel("direct.cc:sizes=runtime cv9 --batch 256 --layout NHWC --emit cu");
  CHECK_THAT(runtime.out, Contains("  int n;"));
  CHECK(runtime.out.substr(runtime.out.find("#line 1 ")) == result.out.substr(result.out.find("#line 1 ")));
}

TEST_CASE("kernel -o writes the same text to a file") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/direct.cu";
  const CommandResult result = kernel("direct.cc cv12 --emit cu -o " + path);
  CHECK(result.exit == 0);
  CHECK(result.out == "");
  CHECK(contents(path) == kernel("direct.cc cv12 --emit cu").out);
}

TEST_CASE("of several kernels in a call the main one is printed, or that which --step names") {
  const std::string call = "winograd.cc:fuse=off '1x8x16x16 --filter 8x3x3' --emit cu";
  const CommandResult main = kernel(call), first = kernel(call + " --step 1");
  CHECK(main.exit == 0);
  CHECK_THAT(main.err, Contains("transform_output, the main one of 1 (transform_filter) | 2 ("));
  CHECK_THAT(main.out, Contains("transform_output(const"));
  CHECK(first.exit == 0);
  CHECK(first.err == "");
  CHECK_THAT(first.out, Contains("transform_filter(const"));
  const CommandResult none = kernel(call + " --step 99");
  CHECK(none.exit == 2);
  CHECK_THAT(none.err, Contains("--step: 99, must be one of 1 ("));
}

TEST_CASE("kernel says in one line what it cannot print") {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"", "ROW: none given"},
      {"direct.cc", "layer: 0 given, must be exactly one"},
      {"direct.ref cv9", "ROW: direct.ref, must be a row on a GPU"},
      {"direct.cc cv9 --emit exe", "--emit: exe, must be one of cu | ptx | sass"},
      {"direct.cc cv9 -o x.cu", "--output: must go with --emit"},
      {"direct.cc cv9 --step 1", "--step: must go with --emit"},
      {"direct.cc cv9 --emit cu --json", "--emit: given with --json or --csv"},
      {"direct.cc cv9 --emit cu --dtype f16", "dtype: f16, must be f32"},
      {"direct.cc cv9 --emit cu --arch banana", "--arch: banana, must be sm_ and a number, as in sm_80 or sm_90a"},
      {"direct.cc cv9 --emit cu --arch sm_", "--arch: sm_, must be sm_ and a number"},
      {"direct.cc cv9 --emit cu -o /nonexistent/x.cu", "/nonexistent"},
  };
  for (const auto& [call, line] : mistakes) {
    INFO("convlens kernel " << call);
    const CommandResult result = kernel(call);
    CHECK((result.exit == 2 || result.exit == 3));
    CHECK(result.out == "");
    REQUIRE(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(line));
  }
  CHECK(kernel("cudnn.implicit_gemm '0x3x8x8 --filter 4x3x3'").exit == 3);  // a library does it all
}

TEST_CASE("a block that the architecture has too little shared memory for is refused, with the nearest that fits") {
  const std::string wide = "im2win.tc:async_copy=off cv10 --batch 256 --dtype f16 --layout NHWC";
  for (const std::string form : {"", " --json", " --emit ptx", " --emit sass"}) {
    INFO(form);
    const CommandResult result = kernel(wide + " --arch sm_75" + form);
    CHECK(result.exit == 3);
    CHECK(result.out == "");
    CHECK(result.err ==
          "convlens: im2win_tc: 73728 bytes of shared memory a block, must be ≤ 65536 on sm_75; "
          "im2win.tc:tile=64x128,async_copy=off takes 55296\n");
  }
  CHECK(kernel(wide + " --arch sm_75 --emit ptx --step 1").exit != 3);  // another kernel of the call, which fits
  if (no_toolkit()) return;
  CHECK(kernel("im2win.tc:tile=64x128,async_copy=off cv10 --batch 256 --dtype f16 --layout NHWC --arch sm_75").exit ==
        0);
  CHECK(kernel(wide + " --arch sm_86").exit == 0);
}

TEST_CASE("without the toolkit, what only a compiler can tell is exit 4") {
  if (gpu::why_no_runtime().empty()) return;
  for (const char* call : {"direct.cc cv9", "direct.cc cv9 --emit ptx", "direct.cc cv9 --emit sass"}) {
    const CommandResult result = kernel(call);
    CHECK(result.exit == 4);
    CHECK(result.err_lines().size() == 1);
  }
}

TEST_CASE("kernel prints PTX, SASS, and a table of registers, for any architecture and without a GPU") {
  if (no_toolkit()) return;
  CHECK_THAT(kernel("direct.cc cv9 --emit ptx --arch sm_80").out, Contains(".target sm_80"));
  CHECK_THAT(kernel("direct.cc cv9 --emit ptx --arch sm_90a --no-cache").out, Contains(".target sm_90a"));
  const CommandResult sass = kernel("direct.cc cv9 --emit sass --arch sm_90a");
  if (sass.exit == 0)
    CHECK_THAT(sass.out, Contains("EXIT"));
  else
    CHECK_THAT(sass.err, Contains("--emit: sass, needs nvdisasm or cuobjdump"));
  CHECK_THAT(kernel("direct.cc cv9 --arch sm_120").out, Contains("direct_cc") && Contains("compiled for sm_120"));
  const auto json = nlohmann::json::parse(kernel("direct.cc cv9 --arch sm_90a --json").out);
  REQUIRE_FALSE(json.empty());
  CHECK(json.back()["registers"].get<int>() > 0);
  CHECK(json.back()["spill_bytes"] == 0);
  CHECK(parse_csv(kernel("direct.cc cv9 --csv").out).size() == 1 + json.size());
  const CommandResult early = kernel("direct.cc cv9 --arch sm_75");
  CHECK(early.exit == 3);
  CHECK(early.err ==
        "convlens: direct_cc: sm_75, must be sm_80 or later, for cp.async, by which the row's kernels copy\n");
  for (const std::string row : {"direct", "implicit_gemm"})
    for (const std::string architecture : {"sm_90", "sm_80"}) {
      const CommandResult generic = kernel(row + ".tc cv9 --layout NHWC --dtype f16 --arch " + architecture);
      CHECK(generic.exit == 3);
      CHECK_THAT(generic.err, EndsWith(row + "_tc: " + architecture +
                                       ", must be sm_90a, for wgmma; instructions=mma needs sm_80\n"));
    }
  const CommandResult unknown = kernel("direct.cc cv9 --emit ptx --arch sm_1");
  CHECK(unknown.exit != 0);
  CHECK(unknown.out == "");
}

// A toolkit of which only nvdisasm is there: a script that runs `commands`, with the machine code as "$2".
class ToolkitOf {
 public:
  explicit ToolkitOf(const std::string& commands) {
    std::filesystem::create_directory(folder_.path() + "/bin");
    const std::string program = folder_.path() + "/bin/nvdisasm";
    std::ofstream(program) << "#!/bin/sh\n" << commands << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  CommandRun sass(const std::string& temporary_folder) const {
    return {.arguments = shell_words("kernel direct.cc cv9 --emit sass --arch sm_90a"),
            .environment = {{"CUDA_PATH", folder_.path()}, {"TMPDIR", temporary_folder}}};
  }

 private:
  TemporaryFolder folder_;
};

// In such a script: sends the signal to the command that has started it.
std::string signal_convlens(const std::string& name) {
  return "p=$PPID\n"
         "until [ \"$(cat /proc/$p/comm)\" = convlens ]; do p=$(sed 's/.*) . //; s/ .*//' /proc/$p/stat); done\n"
         "kill -" +
         name + " $p";
}

TEST_CASE("machine code is read by nvdisasm whatever TMPDIR is, and nothing is left there") {
  if (no_toolkit()) return;
  const TemporaryFolder temporary;
  const std::string binary = "[ \"$1\" = -c ] && head -c 4 \"$2\" | tail -c 3";
  for (const std::string& folder : {temporary.path(), std::string("/nonexistent"), std::string("/dev/null")}) {
    INFO("TMPDIR=" << folder);
    const CommandResult result = run_command(ToolkitOf(binary).sass(folder));
    INFO(result.err);
    CHECK(result.exit == 0);
    CHECK(result.out == "ELF");
  }
  const CommandResult killed = run_command(ToolkitOf(signal_convlens("TERM")).sass(temporary.path()));
  CHECK(killed.signal == SIGTERM);
  CHECK(std::filesystem::is_empty(temporary.path()));
}

TEST_CASE("an nvdisasm that fails is one line, and Ctrl-C while it works is Ctrl-C") {
  if (no_toolkit()) return;
  const TemporaryFolder temporary;
  const CommandResult fails = run_command(ToolkitOf("exit 1").sass(temporary.path()));
  CHECK(fails.exit == 3);
  REQUIRE(fails.err_lines().size() == 1);
  CHECK_THAT(fails.err, Contains("--emit: sass, ") && Contains("/bin/nvdisasm failed"));
  CHECK(run_command(ToolkitOf(signal_convlens("INT")).sass(temporary.path())).exit == 130);
}

TEST_CASE("the text of a kernel opens with the nvcc command that compiles it") {
  const std::string layer = " cv9 --layout NHWC --emit cu";
  const std::string wgmma = "implicit_gemm.tc" + layer + " --dtype f16", copies = "im2win.tc" + layer + " --dtype f16";
  const std::string mma = "implicit_gemm.tc:instructions=mma" + layer + " --dtype f16";
  const std::pair<std::string, std::string> calls[]{
      {wgmma, "sm_90a"},
      {wgmma + " --arch sm_90a", "sm_90a"},
      {copies, "sm_80"},
      {mma, "sm_80"},
      {mma + " --arch sm_86", "sm_86"},
      {copies + " --arch sm_90", "sm_90"},
      {"direct.cc" + layer, "sm_80"},
      {"im2win.tc:tile=64x128,async_copy=off" + layer + " --dtype f16", "sm_75"}};
  const TemporaryFolder folder;
  for (const auto& [call, architecture] : calls) {
    INFO(call);
    const CommandResult result = kernel(call);
    CHECK(result.exit == 0);
    const std::string command = result.out.substr(0, result.out.find('\n')), file = folder.path() + "/kernel.cu";
    CHECK(command == "// nvcc -std=c++20 -arch=" + architecture + " -cubin THIS_FILE");
    if (nvcc().empty()) continue;
    std::ofstream(file) << result.out;
    std::string said = command;
    said.replace(said.find("// nvcc"), 7, nvcc()).replace(said.find("THIS_FILE"), 9, file);
    const int status = std::system(("cd " + folder.path() + " && " + said + " > log 2>&1").c_str());
    INFO(contents(folder.path() + "/log"));
    CHECK(status == 0);
  }
  for (const std::string architecture : {"sm_80", "sm_90"}) {  // no command would compile it
    const CommandResult refused = kernel(wgmma + " --arch " + architecture);
    CHECK(refused.exit == 3);
    CHECK(refused.out == "");
    CHECK_THAT(refused.err, Contains(architecture + ", must be sm_90a, for wgmma"));
  }
  CHECK_THAT(kernel("--help").out, Contains("the nvcc command") && !Contains("plain nvcc"));
}

TEST_CASE("plain nvcc compiles the text of every kernel") {
  if (nvcc().empty()) {
    std::cout << "SKIP: no nvcc\n";
    return;
  }
  const TemporaryFolder folder;
  const ConvProblem layer({.n = 3, .ci = 8, .hi = 15, .wi = 19, .co = 16, .hf = 3, .wf = 3, .pad_top = 1});
  std::string files;
  std::set<std::string> texts;
  for (const Algorithm* row : testing::gpu_rows()) {
    Request request{layer};
    if (row->unit == Unit::tc)
      request.dtype = DType::f16, request.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
    if (!row->supports(request)) continue;
    const auto plan = row->plan(request);
    for (const gpu::Step& step : plan->program()->steps)
      if (const auto* launch = std::get_if<gpu::Launch>(&step))
        if (const std::string text = gpu::source(launch->kernel); texts.insert(text).second) {
          const std::string path = folder.path() + "/" + std::to_string(texts.size()) + ".cu";
          std::ofstream(path) << text;
          files += " " + path;
        }
  }
  REQUIRE_FALSE(texts.empty());
  const std::string command =
      "cd " + folder.path() + " && " + nvcc() + " -std=c++20 -arch=sm_90a -cubin" + files + " > log 2>&1";
  const int status = std::system(command.c_str());
  INFO(contents(folder.path() + "/log"));
  CHECK(status == 0);
}
