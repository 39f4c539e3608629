// Kernel texts that the compiler dies of, or is at for ever: the program says so in one line and lives on.
#include <fstream>

#include "kernels/runtime.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;
using Catch::Matchers::Contains;

namespace {

const std::string kConvlens = std::string(CONVLENS_BINARY_DIR) + "/convlens";

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

const std::string kNested = "__device__ int nested = " + repeat("(", 10'000) + "1" + repeat(")", 10'000) + ";\n";
const std::string kEndless =
    "__device__ auto endless = " + repeat("[] { return ", 60'000) + "1" + repeat("; }", 60'000) + ";\n";

gpu::Kernel own_kernel(std::map<std::string, std::string> texts) {
  gpu::Kernel kernel{.file = "own.cu", .entry = "own", .constants = {}, .sizes = {}};
  kernel.texts = std::move(texts);
  return kernel;
}

bool has_compiler() {
  if (gpu::why_no_runtime().empty()) return true;
  WARN("SKIP: " << gpu::why_no_runtime());
  return false;
}

// The kernels of a row, of which one text has `more` at its head; under what the shell's ulimit says.
CommandResult kernel_with(const std::string& more, const std::string& ulimit) {
  const TemporaryFolder folder;
  const std::string file = "im2win/im2win_cc.cu";
  const std::string text = gpu::kernel_file(file);
  REQUIRE(run_command({.arguments = {"-p", folder.path() + "/im2win"}, .program = "/bin/mkdir"}).exit == 0);
  std::ofstream(folder.path() + "/" + file) << text << more;
  return run_command({.arguments = {"-c", "ulimit " + ulimit + "; exec '" + kConvlens +
                                              "' kernel im2win.cc --layer cv9 --arch sm_90a --no-cache"},
                      .environment = {{"CONVLENS_KERNELS", folder.path()}},
                      .program = "/bin/sh"});
}

}  // namespace

TEST_CASE("a text that the compiler dies of is bad input, said in one line") {
  if (!has_compiler()) return;
  const CommandResult result = kernel_with(kNested, "-s 512");
  INFO(result.err);
  CHECK(result.exit == 2);
  REQUIRE(result.err_lines().size() == 1);
  CHECK_THAT(result.err, Contains("im2win/im2win_cc.cu, the compiler died (signal 11, Segmentation fault)"));
}

TEST_CASE("a text that the compiler is at for ever is bad input once its time is over") {
  if (!has_compiler()) return;
  const CommandResult result = kernel_with(kEndless, "-S -t 3");
  INFO(result.err);
  CHECK(result.exit == 2);
  CHECK_THAT(result.err, Contains("the compiler took more than it may on this text, 60 s"));
}

TEST_CASE("a compilation that nobody wants any more ends at once") {
  if (!has_compiler()) return;
  const gpu::Kernel kernel = own_kernel({{"own.cu", kEndless}});
  int asked = 0;
  CHECK_THROWS_WITH(gpu::runtime().compile(kernel, "sm_90a", [&] { return ++asked > 5; }),
                    Contains("not wanted any more"));
}

TEST_CASE("what has a text's name in the chosen folder and is no file is refused, and no one waits for it") {
  const std::string file = "direct/direct_cc.cu";
  for (const std::string make : {"mkfifo", "mkdir", "ln -s /nonexistent", "ln -s direct_cc.cu"}) {
    INFO(make);
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/" + file;
    REQUIRE(
        run_command({.arguments = {"-c", "mkdir \"${1%/*}\" && " + make + " \"$1\"", "sh", path}, .program = "/bin/sh"})
            .exit == 0);
    const CommandResult result =
        run_command({.arguments = {"10", kConvlens, "kernel", "direct.cc", "--layer", "cv12", "--emit", "cu"},
                     .environment = {{"CONVLENS_KERNELS", folder.path()}},
                     .program = "/usr/bin/timeout"});
    CHECK(result.exit == 2);
    CHECK(result.out == "");
    CHECK(result.err == "convlens: CONVLENS_KERNELS: " + path + ", must be a regular file that can be read\n");
  }
}

TEST_CASE("what a text may include is a kernel's file, and not without end") {
  const auto source = [](std::map<std::string, std::string> texts) {
    return gpu::source(own_kernel(std::move(texts)));
  };
  CHECK_THROWS_WITH(source({{"own.cu", "#include \"/dev/zero\"\n"}}), Contains("/dev/zero, must be a file below"));
  CHECK_THROWS_WITH(source({{"own.cu", "#include \"../LICENSE\"\n"}}), Contains("../LICENSE, must be a file below"));
  CHECK_THROWS_WITH(source({{"own.cu", "#include \"common\"\n"}}), Contains("common, no such file"));
  CHECK_THROWS_WITH(source({{"own.cu", std::string("int a;\0int b;", 13)}}), Contains("own.cu, byte 6 is 0"));
  CHECK_THROWS_WITH(source({{"own.cu", std::string(gpu::kMostText + 1, '\n')}}),
                    Contains("1048577 bytes with what it includes, must be ≤ 1048576"));
  std::map<std::string, std::string> many{{"own.cu", "#include \"0\"\n"}};
  for (int k = 0; k < 20'000; ++k) many[std::to_string(k)] = "#include \"" + std::to_string(k + 1) + "\"\n";
  CHECK_THROWS_WITH(source(many), Contains("file 101 that own.cu includes, must be ≤ 100"));
  std::map<std::string, std::string> twice{{"own.cu", "#include \"a\"\n#include \"b\"\n"}};
  for (const char* name : {"a", "b"}) twice[name] = std::string(gpu::kMostText / 2, '\n');
  CHECK_THROWS_WITH(source(twice), Contains("bytes with what it includes"));
}
