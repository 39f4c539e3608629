// What the compiler makes of a kernel's text: its errors, each once and at its line, and what was recorded where there
// is no compiler.
#include <algorithm>

#include "kernels/text.h"
#include "tests/viewer/kernel_states.h"

using namespace convlens;
using namespace convlens::viewer;
using namespace convlens::testing;

TEST_CASE("an error is said at its line, and mended text compiles") {
  State state = kernel_state("direct.cc");
  const std::string text = sheet_of(state).text, file = sheet_of(state).launch.kernel.file;
  const std::size_t at = text.find('\n', text.find("__launch_bounds__"));
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  std::string wrong = text;
  wrong.insert(text.find('{', at) + 1, " no_such_name = 1;");
  const auto wrong_line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('{', at)), '\n') + 1;
  CHECK(wrong_line >= line);
  state.kernel.texts[file] = wrong;
  const KernelSheet sheet = sheet_of(state);
  CHECK(sheet.edited);
  CHECK(sheet.text == wrong);
  if (!has_compiler()) return;
  const Build build = build_of(sheet, "cv9");
  CHECK(build.failed);
  REQUIRE_FALSE(build.messages.empty());
  CHECK(build.messages.front().file == file);
  CHECK(build.messages.front().line == wrong_line);
  CHECK(build.messages.front().error);
  CHECK(build.messages.front().text.find("no_such_name") != std::string::npos);

  state.kernel.texts[file] = text + "// a comment more\n";
  const Build good = build_of(sheet_of(state), "cv9");
  CHECK_FALSE(good.failed);
  CHECK(good.registers > 16);
  CHECK(good.occupancy);

  state.kernel.texts[file] = "#include \"no/such/file.cuh\"\n" + text;
  const KernelSheet lost = sheet_of(state);
  CHECK(lost.refused.empty());  // it can still be edited
  CHECK(build_of(lost, "cv9").failed);
}

TEST_CASE("lines of a compiler's log are read, whatever else it says") {
  const auto messages = compiler_messages(
      "kernel: a.cu, the compiler's errors:\na/b.cu(57): error: identifier \"f(x): y\" is undefined\n    f(1);\n"
      "common/c.cuh(3): warning #177-D: variable \"error\" was declared\n(x): error: y\nb.cu(): error: z\n1 error "
      "detected\n");
  REQUIRE(messages.size() == 2);
  CHECK((messages[0].file == "a/b.cu" && messages[0].line == 57 && messages[0].error));
  CHECK(messages[0].text == "error: identifier \"f(x): y\" is undefined");
  CHECK((messages[1].file == "common/c.cuh" && messages[1].line == 3 && !messages[1].error));
}

TEST_CASE("what the compiler says at no line is said at none, and no message is longer than can be read") {
  CHECK(message_at_no_line("kernel: a.cu, the compiler died (signal 11, Segmentation fault) on this text") ==
        "kernel: a.cu, the compiler died (signal 11, Segmentation fault) on this text");
  CHECK(message_at_no_line("kernel: a.cu, the compiler's errors:\na.cu(3): warning: unused\n"
                           "ptxas error   : Entry function 'f' uses too much shared data\n") ==
        "ptxas error   : Entry function 'f' uses too much shared data");
  CHECK(message_at_no_line("kernel: a.cu, the compiler's errors:\nnvrtc: error: invalid option\n") ==
        "kernel: a.cu, the compiler's errors: nvrtc: error: invalid option");
  std::string type = "int";
  for (int k = 0; k < 200; ++k) type = "P<" + type + ">";
  const auto messages = compiler_messages("a.cu(7): error: no instance of \"" + type + "\"\n");
  REQUIRE(messages.size() == 1);
  CHECK(messages.front().text.size() < 310);
  CHECK(messages.front().text.ends_with("…"));
  CHECK(message_at_no_line(std::string(5000, 'x')).size() < 310);

  State state = kernel_state("direct.cc");
  const KernelSheet sheet = sheet_of(state);
  if (!has_compiler()) return;
  // 4 MiB of shared memory: the text is right, and ptxas refuses it.
  const std::size_t body = sheet.text.find('{', sheet.text.find("__global__"));
  REQUIRE(body != std::string::npos);
  state.kernel.texts[sheet.file] =
      std::string(sheet.text)
          .insert(body + 1, " __shared__ volatile int too_much[1 << 20]; too_much[threadIdx.x] = 1;");
  const Build build = build_of(sheet_of(state), "cv9");
  CHECK(build.failed);
  REQUIRE_FALSE(build.messages.empty());
  INFO(build.messages.front().text);
  CHECK(build.messages.front().line == 0);
  CHECK(build.messages.front().text.find("4194304 bytes smem") != std::string::npos);
}

TEST_CASE("an error in a text that several kernels include is said once, with how many it stops") {
  if (!has_compiler()) return;
  const State state = kernel_state("winograd.cc");
  const KernelSheet sheet = sheet_of(state);
  const auto errors = [&](const std::map<std::string, std::string>& texts) {
    return errors_of_kernels(*with_texts(sheet.plan->algorithm(), texts).plan(sheet.plan->request()), "sm_90a");
  };
  CHECK(errors({}).empty());
  // One line in what all three include, and another in one of them.
  const std::string shared = "winograd/winograd.cuh", own = "winograd/transform_input.cu";
  const std::vector<TrialLine> broken = errors(
      {{shared, "first_error;\n" + gpu::kernel_file(shared)}, {own, gpu::kernel_file(own) + "\nsecond_error;\n"}});
  REQUIRE(broken.size() == 2);
  INFO(broken[0].text << "\n" << broken[1].text);
  CHECK((broken[0].wrong && broken[1].wrong));
  CHECK(broken[0].text.starts_with(shared + ", line 1: error: "));
  CHECK(broken[0].text.ends_with("; stops 3 of 3 kernels: transform_filter, transform_input, transform_output"));
  CHECK(broken[1].text.starts_with(own + ", line "));
  CHECK(broken[1].text.ends_with("; stops 1 of 3 kernels: transform_input"));
}

TEST_CASE("an error that the compiler says again and again is one message") {
  if (!has_compiler()) return;
  State state = kernel_state("direct.cc");
  const KernelSheet sheet = sheet_of(state);
  state.kernel.texts[sheet.file] =
      "template <int n> __device__ int twice() { static_assert(n < 0, \"never\"); return n; }\n"
      "__device__ int all() { return twice<1>() + twice<2>() + twice<3>(); }\n" +
      sheet.text;
  const Build build = build_of(sheet_of(state), "cv9");
  CHECK(build.failed);
  CHECK(std::ranges::count_if(build.messages,
                              [](const CompilerMessage& m) { return m.text.find("never") != std::string::npos; }) == 1);
}

TEST_CASE("what was recorded stands in where there is no toolkit, for the text that ships alone") {
  State state = kernel_state("im2win.cc");
  const auto recorded = recorded_build(sheet_of(state), "cv9");
  REQUIRE(recorded);
  CHECK(recorded->recorded_on.find("H200") != std::string::npos);
  CHECK(recorded->registers > 0);
  CHECK_FALSE(recorded_build(sheet_of(state), "cv99"));
  state.kernel.texts["im2win/im2win_cc.cu"] = "mine";
  CHECK_FALSE(recorded_build(sheet_of(state), "cv9"));
}

TEST_CASE("a sheet that is refused is not built, and says why") {
  KernelSheet sheet;
  sheet.refused = "a reason";
  CHECK(build_of(sheet, "cv9").why_not == "a reason");
}
