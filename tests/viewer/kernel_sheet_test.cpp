// The Kernel panel's logic: which code options compile, by a small text with known answers and by the compiler itself;
// errors at their lines; one's own texts in the row's program; occupancy.
#include "viewer/logic/kernel_sheet.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/problem/layers.h"
#include "kernels/runtime.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/kernel_states.h"
#include "viewer/logic/constant_expression.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using namespace convlens::testing;

std::optional<std::int64_t> value(const std::string& text) {
  const Constants constants{{"yes", 1},  {"no", 0},       {"tile", 8}, {"x_layout", 1},
                            {"NHWC", 1}, {"s.groups", 4}, {"both", {}}};
  return value_of(tokens_of(text).tokens, constants);
}

// The code of one line of a small text, a letter a byte: . plain, + chosen, ? undecided, - left out.
std::string code(const std::string& text) {
  const CompiledCode compiled = compiled_code(
      "enum Layout { NCHW, NHWC, CHWN };\nconstexpr Layout x_layout = NHWC;\nconstexpr int tile = 8;\n#line 1 "
      "\"a.cu\"\n" +
          text,
      "sm_90a");
  std::string letters;
  for (const Line& line : compiled.files.at("a.cu"))
    for (const Piece& piece : line)
      letters += std::string(piece.end - piece.begin, ".+?-"[static_cast<std::size_t>(piece.code)]);
  return letters;
}

// The text without what is left out: the first byte of each such piece becomes an empty statement.
std::string without_left_out(const std::string& text, const std::vector<Line>& lines) {
  std::string result = text;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t k = 0; k < lines.size() && begin <= text.size(); ++k) {
    for (const Piece& piece : lines[k]) {
      if (piece.code == Code::left_out) {
        for (std::size_t at = piece.begin; at < piece.end; ++at) result[begin + at] = ' ';
        if (!inside) result[begin + piece.begin] = ';';
      }
      inside = piece.code == Code::left_out;
    }
    begin = std::min(text.find('\n', begin), text.size()) + 1;
  }
  return result;
}

// Without comments, and without where in the text each stands.
std::string instructions(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string result;
  for (std::string line; std::getline(lines, line) && line.find(".section") == std::string::npos;) {
    const std::size_t first = line.find_first_not_of(" \t");
    const std::string_view word =
        first == std::string::npos ? std::string_view{} : std::string_view(line).substr(first);
    if (word.empty() || word.starts_with("//") || word.starts_with(".loc") || word.starts_with(".file")) continue;
    result += line + "\n";
  }
  return result;
}

// The instructions that the compiler makes of the kernel. It does not always make the same of the same text (NVRTC 13.0
// merged other loads in 1 of 24 compilations of winograd_fused), so that unlike results are tried again; a comment
// keeps the cache out of it.
bool compile_alike(const gpu::Kernel& one, const gpu::Kernel& other, const std::string& architecture) {
  constexpr int attempts = 8;
  std::set<std::string> of_one, of_other;
  const auto compile = [&](gpu::Kernel kernel, int attempt) {
    const auto own = kernel.texts.find(kernel.file);
    const std::string text = own == kernel.texts.end() ? gpu::kernel_file(kernel.file) : own->second;
    kernel.texts[kernel.file] = text + "\n// attempt " + std::to_string(attempt) + "\n";
    return instructions(gpu::runtime().compile(kernel, architecture).ptx);
  };
  for (int attempt = 0; attempt < attempts; ++attempt) {
    of_one.insert(compile(one, attempt));
    of_other.insert(compile(other, attempt));
    if (std::ranges::any_of(of_one, [&](const std::string& made) { return of_other.contains(made); })) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("constant expressions have the value that C++ gives them, or none where it cannot be known") {
  CHECK(value("yes") == 1);
  CHECK(value("!yes && unknown") == 0);
  CHECK(value("unknown && no") == 0);
  CHECK(value("unknown || yes") == 1);
  CHECK_FALSE(value("unknown || no"));
  CHECK_FALSE(value("unknown"));
  CHECK_FALSE(value("both"));
  CHECK(value("x_layout == NHWC") == 1);
  CHECK(value("x_layout != NHWC || tile % 3 == 2") == 1);
  CHECK(value("(tile + 2) * 3 - 1") == 29);
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("-tile < 0x10u") == 1);
  CHECK(value("yes ? tile : unknown") == 8);
  CHECK(value("s.groups == 4 && Sizes::groups > 3") == 1);
  CHECK_FALSE(value("tile / no"));
  CHECK_FALSE(value("std::is_same_v<T, int>"));
  CHECK(value("is_small(tile, 3) && no") == 0);
  for (const char* broken : {"", "(", "tile +", "tile tile", ")", "&& yes", "yes ? 1", "9999999999999999999"}) {
    INFO(broken);
    CHECK_FALSE(value(broken));
  }
}

TEST_CASE("a small text is marked as the language has it") {
  CHECK(code("if constexpr (x_layout == NHWC) a(); else b();") == std::string(32, '.') + "++++" + "......" + "----");
  CHECK(code("if constexpr (tile > 8) { a(); }\nb();") == std::string(24, '.') + std::string(8, '-') + "....");
  CHECK(code("{ if constexpr (tile == 8) return; b(); } c();") ==
        std::string(27, '.') + "+++++++" + "." + "----" + std::string(7, '.'));
  CHECK(code("template <int tile> void f() { if constexpr (tile == 8) a(); }").find('?') != std::string::npos);
  CHECK(code("#ifdef NONE\na();\n#else\nb();\n#endif") ==
        std::string(11, '.') + "----" + std::string(5, '.') + "...." + std::string(6, '.'));
  CHECK(code("// if constexpr (tile == 1) a();") == std::string(32, '.'));
}

TEST_CASE("switching an option moves the marks") {
  State state = kernel_state("im2win.cc");
  const KernelSheet on = sheet_of(state);
  REQUIRE(on.refused.empty());
  CHECK(on.launch.kernel.entry == "im2win_cc");
  state.runs = {"im2win.cc:index_precompute=off"};
  state.kernel.run = state.runs.front();
  const KernelSheet off = sheet_of(state);
  REQUIRE(off.refused.empty());
  CHECK(on.text == off.text);
  const auto count = [](const KernelSheet& sheet, Code code) {
    std::size_t bytes = 0;
    for (const Line& line : sheet.lines)
      for (const Piece& piece : line)
        if (piece.code == code) bytes += piece.end - piece.begin;
    return bytes;
  };
  CHECK(count(on, Code::chosen) > count(off, Code::chosen));
  CHECK(count(on, Code::left_out) < count(off, Code::left_out));
  CHECK(on.decided > 5);
}

TEST_CASE("what is marked as left out can go: the compiler makes the same instructions without it") {
  if (!has_compiler()) return;
  const std::pair<const char*, const char*> all[] = {{"im2win.cc", "sm_90a"},
                                                     {"im2win.cc:tiling=naive", "sm_90a"},
                                                     {"direct.cc:double_buffer=off", "sm_90a"},
                                                     {"implicit_gemm.cc", "sm_90a"},
                                                     {"im2win.tc", "sm_90a"},
                                                     {"winograd.cc:fuse=on", "sm_90a"},
                                                     {"direct.tc", "sm_90a"},
                                                     {"im2win.cc", "sm_80"},
                                                     {"direct.cc:double_buffer=off", "sm_120"}};
  for (const auto& [run, architecture] : all) {
    State state = kernel_state(run);
    state.kernel.architecture = architecture;
    const KernelSheet sheet = sheet_of(state);
    INFO(run << " " << architecture << " " << sheet.refused);
    REQUIRE(sheet.refused.empty());
    REQUIRE(sheet.architecture == architecture);
    gpu::Kernel kernel = sheet.launch.kernel;
    CompiledCode code = compiled_code(gpu::source(kernel), sheet.architecture);
    for (const std::string& file : sheet.files)
      kernel.texts[file] = without_left_out(gpu::kernel_file(file), code.files[file]);
    CHECK(kernel.texts.at(kernel.file) != gpu::kernel_file(kernel.file));
    CHECK(compile_alike(sheet.launch.kernel, kernel, sheet.architecture));
  }
}

TEST_CASE("every kernel of every row on a GPU can be read, line by line") {
  for (const Algorithm* row : testing::gpu_rows()) {
    if (row->vendor) continue;
    State state = kernel_state(row->id);
    const KernelSheet main = sheet_of(state);
    INFO(row->id << " " << main.refused);
    REQUIRE(main.refused.empty());
    CHECK(main.run == row->id);
    CHECK_FALSE(main.architectures.empty());
    for (const auto& [step, title] : main.launches) {
      state.kernel.step = step;
      for (const std::string& file : main.files) {
        state.kernel.file = file;
        const KernelSheet sheet = sheet_of(state);
        CHECK(sheet.step == step);
        CHECK(sheet.text == gpu::kernel_file(sheet.file));
        CHECK_FALSE(sheet.edited);
        CHECK(static_cast<std::ptrdiff_t>(sheet.lines.size()) <= std::ranges::count(sheet.text, '\n') + 1);
      }
    }
  }
}

TEST_CASE("a row with one's own texts has them in its program, and runs it where there is a GPU") {
  const State state = kernel_state("im2win.cc");
  const KernelSheet sheet = sheet_of(state);
  const std::map<std::string, std::string> texts{{"im2win/im2win_cc.cu", sheet.text + "// mine\n"}};
  const Algorithm own = with_texts(sheet.plan->algorithm(), texts);
  const auto plan = own.plan(sheet.plan->request());
  CHECK(plan->program()->id != sheet.plan->program()->id);
  CHECK(gpu::source(gpu::main_launch(*plan->program())->kernel).find("// mine") != std::string::npos);
  CHECK(plan->workspace_bytes() == sheet.plan->workspace_bytes());
  const std::vector<TrialLine> lines = try_on_device(sheet, texts);
  REQUIRE_FALSE(lines.empty());
  if (why_no_device().empty()) {
    for (const TrialLine& line : lines) CHECK_FALSE(line.wrong);
  } else {
    CHECK(lines.front().text.find(why_no_device()) != std::string::npos);
  }
}

TEST_CASE("blocks of an SM are as the occupancy calculator has them") {
  const auto o = occupancy("sm_90a", 256, 128, 44160);  // 8 warps of 4096 registers: 16 warps in 65536
  REQUIRE(o);
  CHECK((o->blocks == 2 && o->warps == 16 && o->most_warps == 64 && o->limit == "registers"));
  CHECK(occupancy("sm_90a", 128, 32, 100 * 1024)->limit == "shared memory");
  CHECK(occupancy("sm_90a", 128, 32, 100 * 1024)->blocks == 2);
  CHECK(occupancy("sm_80", 1024, 32, 0)->blocks == 2);
  CHECK(occupancy("sm_80", 32, 32, 0)->limit == "blocks of an SM");
  CHECK(occupancy("sm_120", 1024, 32, 0)->blocks == 1);
  CHECK(occupancy("sm_90a", 256, 255, 300 * 1024)->blocks == 0);
  CHECK_FALSE(occupancy("sm_33", 256, 32, 0));
}

TEST_CASE("a kernel file is read whole, and what is no text is refused in one line") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/mine.cu";
  std::ofstream(file) << "// Î\nint x;\n";
  CHECK(read_kernel_text(file) == "// Î\nint x;\n");
  std::ofstream(file) << "\xff\xfe";
  CHECK_THROWS_AS(read_kernel_text(file), BadInput);
  std::ofstream(file) << std::string("a\0b", 3);
  CHECK_THROWS_AS(read_kernel_text(file), BadInput);
  CHECK_THROWS_AS(read_kernel_text(folder.path() + "/none.cu"), BadInput);
}

TEST_CASE("of a row of im2col on the CPU the kernels of implicit GEMM are offered too, and the other way round") {
  for (const char* run : {"im2col.cpu", "implicit_gemm.ref"}) {
    State state = kernel_state("");
    state.runs = {run};
    state.kernel.run.clear();
    const KernelSheet sheet = sheet_of(state);
    const std::vector<std::string> all{"im2col.cc", "im2col.tc", "implicit_gemm.cc", "implicit_gemm.tc"};
    for (const std::string& row : all) CHECK(std::ranges::count(sheet.instead, row) == 1);
    CHECK(sheet.instead.size() == all.size());
  }
}
