// The structure of the house, read from its own sources: who may include whom, and facts that stand in one place.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = CONVLENS_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void for_each_source(const std::string& room, const std::function<void(const fs::path&, const std::string&)>& visit) {
  if (!fs::exists(kRoot / room)) return;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / room)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp" || extension == ".cu")
      visit(fs::relative(entry.path(), kRoot), read(entry.path()));
  }
}

// "file: line" of everything in `room` whose code, comments left out, matches `pattern`.
std::vector<std::string> matches(const std::string& room, const std::regex& pattern) {
  std::vector<std::string> found;
  for_each_source(room, [&](const fs::path& path, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (std::regex_search(line.substr(0, line.find("//")), pattern)) found.push_back(path.string() + ": " + line);
  });
  return found;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Arrows point one way: algorithms include no other room") {
  CHECK(matches("algorithms", std::regex(R"re(#include *"(cli|kernels|viewer|notebooks|tests)/)re")) == Lines{});
}

TEST_CASE("Arrows point one way: kernels include algorithms only, and no face includes another") {
  CHECK(matches("kernels", std::regex(R"re(#include *"(cli|viewer|notebooks|tests)/)re")) == Lines{});
  CHECK(matches("viewer", std::regex(R"re(#include *"(cli|notebooks|tests)/)re")) == Lines{});
  // The meeting points: the command `view` hands plain data to the viewer, by the files that are its own, and --state
  // hands commands what is in a state.
  Lines found = matches("cli", std::regex(R"re(#include *"(viewer|notebooks|tests)/)re"));
  std::erase_if(found, [](const std::string& line) {
    return line.starts_with("cli/view_") || line.starts_with("cli/state_argument.cpp: ");
  });
  CHECK(found == Lines{});
}

TEST_CASE("Tests outside viewer/frames need no window: they are built where the viewer is left out") {
  Lines found = matches("tests", std::regex(R"re(#include *"(viewer/(ui|panels|platform)|tests/viewer/frames)/)re"));
  std::erase_if(found, [](const std::string& line) { return line.starts_with("tests/viewer/frames/"); });
  CHECK(found == Lines{});
}

TEST_CASE("CUDA headers stay in kernels") {
  const std::regex cuda(R"re(#include *[<"](cuda|cudnn|cublas|cufft|nvrtc)\w*\.h)re");
  for (const char* room : {"algorithms", "cli", "viewer"}) CHECK(matches(room, cuda) == Lines{});
}

TEST_CASE("Within algorithms, a lower room never includes a higher one") {
  const std::vector<std::pair<std::string, std::string>> forbidden{
      {"tensor", "problem|interface|simd|direct|im2col|fft|winograd|im2win|peers|check|measure|worker"},
      {"problem", "interface|simd|direct|im2col|fft|winograd|im2win|peers|check|measure|worker"},
      {"peers", "simd|direct|im2col|fft|winograd|im2win|check|measure|worker"},
      {"direct", "im2col|fft|winograd|im2win|check|measure|worker"},
      {"im2col", "direct|fft|winograd|im2win|check|measure|worker"},
      {"fft", "direct|im2col|winograd|im2win|check|measure|worker"},
      {"winograd", "direct|im2col|fft|im2win|check|measure|worker"},
      {"im2win", "direct|im2col|fft|winograd|check|measure|worker"},
      {"simd", "direct|im2col|fft|winograd|im2win|check|measure|worker"},
      {"measure", "direct|im2col|fft|winograd|im2win|check|worker"},
      {"worker", "direct|im2col|fft|winograd|im2win|simd|peers|check"},
  };
  for (const auto& [room, above] : forbidden)
    CHECK(matches("algorithms/" + room, std::regex("#include *\"algorithms/(" + above + ")/")) == Lines{});
}

TEST_CASE("Output sizes are computed in ConvProblem alone") {
  // What an output size looks like when it is written out: a padded extent divided by a stride, plus one.
  const std::regex size(R"re(/ *\w*(stride|s_h|s_w)\w*\)? *\+ *1\b)re");
  Lines found;
  for (const char* room : {"algorithms", "kernels", "cli", "viewer"})
    for (const std::string& line : matches(room, size))
      if (line.find("conv_problem.") == std::string::npos) found.push_back(line);
  CHECK(found == Lines{});
}

TEST_CASE("The registry is the only list of algorithms") {
  // Outside its own file, the registry, and tests, no source names a row's id in a string.
  const std::regex id(
      R"re("(direct|im2col|implicit_gemm|fft|winograd|im2win|mec|onednn)\.(ref|cpu|cc|tc|direct|auto)")re");
  Lines found;
  for (const char* room : {"algorithms/interface", "algorithms/check", "algorithms/measure", "cli", "viewer"})
    for (const std::string& line : matches(room, id)) found.push_back(line);
  CHECK(found == Lines{});
}

TEST_CASE("Test names survive the way through CTest: no semicolon, no dash in front") {
  CHECK(matches("tests", std::regex(R"re(TEST_CASE\("(-|[^"]*;))re")) == Lines{});
}

TEST_CASE("A file can be read in one sitting: at most 400 lines") {
  for (const char* room : {"algorithms", "cli", "kernels", "viewer", "tests"})
    for_each_source(room, [](const fs::path& path, const std::string& text) {
      INFO(path.string());
      CHECK(std::count(text.begin(), text.end(), '\n') <= 400);
    });
}
