// Marking what is compiled, of texts that nobody would write: it takes a time in proportion to their length, and what
// the preprocessor says is what the compiler's says.
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "viewer/logic/compiled_code.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/kernel_state.h"

using namespace convlens;
using namespace convlens::viewer;
using Catch::Matchers::Contains;

namespace {

// As long a text as is taken, of `text` again and again, and as many of `end`.
std::string nested(const std::string& text, const std::string& end = "") {
  std::string all;
  const std::size_t times = gpu::kMostText / (text.size() + end.size());
  for (std::size_t k = 0; k < times; ++k) all += text;
  for (std::size_t k = 0; k < times; ++k) all += end;
  return all;
}

// The code of the text, a letter a byte: . plain, + chosen, ? undecided, - left out; lines are put together.
std::string code(const std::string& text, const std::string& architecture = "sm_90a") {
  const CompiledCode compiled = compiled_code("#line 1 \"a.cu\"\n" + text, architecture);
  std::string letters;
  for (const Line& line : compiled.files.at("a.cu"))
    for (const Piece& piece : line)
      letters += std::string(piece.end - piece.begin, ".+?-"[static_cast<std::size_t>(piece.code)]);
  return letters;
}

// The code of the lines a, b, c … below conditions.
std::string of_lines(const std::string& text, const std::string& architecture = "sm_90a") {
  const CompiledCode compiled = compiled_code("#line 1 \"a.cu\"\n" + text, architecture);
  std::string letters;
  for (const Line& line : compiled.files.at("a.cu"))
    if (line.size() == 1 && line.front().end == 1) letters += ".+?-"[static_cast<std::size_t>(line.front().code)];
  return letters;
}

}  // namespace

TEST_CASE("however a text is nested, marking it takes a time in proportion to its length") {
  const std::pair<std::string, std::string> all[] = {{"if constexpr (true) {", "}"},
                                                     {"if constexpr (true) ", ""},
                                                     {"if constexpr (if constexpr (", "))"},
                                                     {"if constexpr (false) ; else ", ""},
                                                     {"if constexpr (true) a ", ""},
                                                     {"{ if constexpr (true) return; ", "}"},
                                                     {"constexpr int a = (", ")"},
                                                     {"constexpr int a = ", ""},
                                                     {"constexpr ", ""},
                                                     {"enum ", ""},
                                                     {"enum { ", "}"},
                                                     {"template < ", ">"},
                                                     {"template < ", ""},
                                                     {"template <> ", ""},
                                                     {"#if 1\n", "#endif\n"},
                                                     {"#if X\n", ""},
                                                     {"#elif 0\n", ""},
                                                     {"#define ", ""},
                                                     {"#if defined(", ")"},
                                                     {"(", ")"},
                                                     {"for (", ")"},
                                                     {"!", ""},
                                                     {"a.", ""},
                                                     {"\n", ""},
                                                     {"'", ""},
                                                     {"/*", ""},
                                                     {"\\\n", ""},
                                                     {"#line 900000 \"b.cu\"\nx\n", ""}};
  for (const auto& [text, end] : all) {
    INFO(text);
    const std::string source = "#if 1\n#line 1 \"a.cu\"\n\n" + nested(text, end);
    const std::clock_t begin = std::clock();
    const CompiledCode compiled = compiled_code(source, "sm_90a");
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(seconds < 5);
    CHECK(compiled.files.contains("a.cu"));
  }
  const std::string files = [] {
    std::string text;
    for (int k = 0; k < 20'000; ++k) text += "#line 900000 \"" + std::to_string(k) + "\"\nx\n";
    return text;
  }();
  std::size_t lines = 0;
  for (const auto& [file, of] : compiled_code(files, "sm_90a").files) lines += of.size();
  CHECK(lines <= 2 * 20'000 + 1);
}

TEST_CASE("deep and long conditions have the marks of short ones") {
  CHECK(code(nested("if constexpr (true) {", "}").substr(0, 42)).ends_with("+"));
  std::string chain;
  for (int k = 0; k < 10'000; ++k) chain += "if constexpr (false) a; else ";
  const std::string marks = code(chain + "b;");
  CHECK(marks.substr(0, 21) == std::string(21, '.'));
  CHECK(std::ranges::count(marks, '-') == 2 * 10'000);
  CHECK(marks.ends_with("++"));
  CHECK(code("if constexpr (true) switch (x) { case 1: a; } b;").ends_with("+..."));
  CHECK(code("if constexpr (1'000 == 1) a;").ends_with("??"));  // a number that is not read is not known
  CHECK(code("if constexpr (010 == 8) a; else b;").ends_with("--"));
}

TEST_CASE("the preprocessor knows the architecture") {
  const std::string text = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900\na\n#else\nb\n#endif\n";
  CHECK(of_lines(text, "sm_90a") == "-.");
  CHECK(of_lines(text, "sm_80") == ".-");
  CHECK(of_lines(text, "sm_120") == ".-");
  CHECK(of_lines(text, "") == "??");
  CHECK(of_lines("#if __CUDA_ARCH__ >= 1200\na\n#elif __CUDA_ARCH__ >= 900\nb\n#else\nc\n#endif\n", "sm_120") == ".--");
  CHECK(of_lines("#if __CUDA_ARCH__ >= 1200\na\n#elif __CUDA_ARCH__ >= 900\nb\n#else\nc\n#endif\n", "sm_90a") == "-.-");
  CHECK(of_lines("#if __CUDA_ARCH__ >= 1200\na\n#elif __CUDA_ARCH__ >= 900\nb\n#else\nc\n#endif\n", "sm_80") == "--.");
}

TEST_CASE("conditions of the preprocessor hold as its standard has it") {
  CHECK(of_lines("#ifdef __CUDACC_RTC__\na\n#else\nb\n#endif") == ".-");
  CHECK(of_lines("#if defined __CUDACC__ && !defined(X)\na\n#else\nb\n#endif") == ".-");
  CHECK(of_lines("#define X\n#ifdef X\na\n#else\nb\n#endif\n#undef X\n#ifdef X\nc\n#endif") == ".--");
  CHECK(of_lines("#define N 3\n#if N == 3 && M == 0\na\n#endif") == ".");
  CHECK(of_lines("#define N other\n#if N\na\n#else\nb\n#endif") == "??");
  CHECK(of_lines("#ifdef __WHO_KNOWS__\na\n#define X 1\n#else\nb\n#endif\n#if X\nc\n#endif") == "???");
  CHECK(of_lines("#if __WHO_KNOWS__\na\n#elif 1\nb\n#else\nc\n#endif") ==
        "?"
        "?-");
  CHECK(of_lines("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1\nd\n#endif") == "--.-");
  CHECK(of_lines("#if 1/0\na\n#endif") == "?");
  CHECK(of_lines("#endif\n#else\n#elif\na") == ".");
  CHECK(of_lines("#if f(1)\na\n#else\nb\n#endif") == "??");
}

TEST_CASE("enumerators have the values that they are given") {
  const std::string text = "enum Mode : int { off, slow = 4, fast, top = fast };\n";
  CHECK(code(text + "if constexpr (fast == 5) a;").ends_with("++"));
  CHECK(code(text + "if constexpr (top == slow) a;").ends_with("--"));
  CHECK(code(text + "if constexpr (off) a;").ends_with("--"));
}

TEST_CASE("texts that are too much are refused where they come in") {
  const auto from = [](const std::map<std::string, std::string>& texts) {
    return kernel_from_json(nlohmann::ordered_json{{"texts", texts}});
  };
  CHECK(from({{"a.cu", std::string(gpu::kMostText, ' ')}}).texts.size() == 1);
  CHECK_THROWS_WITH(from({{"a.cu", std::string(gpu::kMostText, ' ')}, {"b.cu", "x"}}),
                    Contains("kernel.texts: 1048577 bytes, must be ≤ 1048576"));
  CHECK_THROWS_WITH(from({{"a.cu", std::string(1, '\0')}}), Contains("a.cu: has a byte 0, must be text"));
  std::map<std::string, std::string> many;
  for (int k = 0; k < 101; ++k) many[std::to_string(k)] = "";
  CHECK_THROWS_WITH(from(many), Contains("kernel.texts: 101 files, must be ≤ 100"));
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/long.cu") << std::string(gpu::kMostText + 1, ' ');
  CHECK_THROWS_WITH(read_kernel_text(folder.path() + "/long.cu"), Contains("must have ≤ 1048576 bytes"));
  CHECK_THROWS_AS(read_kernel_text("/dev/zero"), BadInput);
  REQUIRE(::mkfifo((folder.path() + "/pipe.cu").c_str(), 0600) == 0);
  CHECK_THROWS_AS(read_kernel_text(folder.path() + "/pipe.cu"), BadInput);
  CHECK_THROWS_AS(read_kernel_text(folder.path()), BadInput);
}
