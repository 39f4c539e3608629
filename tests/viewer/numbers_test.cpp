// An array of one's own as the input: every number where it is, NaN and Inf too, and never stretched.
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/npy_file.h"
#include "viewer/logic/values.h"

using namespace convlens;
using namespace convlens::viewer;

TEST_CASE("an array is x, element by element, and one of another shape is refused with both") {
  const ConvProblem problem({.n = 2, .ci = 2, .hi = 3, .wi = 4, .co = 1, .hf = 2, .wf = 2});
  Numbers numbers{problem.x_shape(), {}};
  for (int k = 0; k < 48; ++k) numbers.values.push_back(k);
  numbers.values[17] = std::numeric_limits<double>::quiet_NaN();
  numbers.values[40] = std::numeric_limits<double>::infinity();
  Photograph array;
  array.numbers = std::make_shared<const Numbers>(numbers);
  const Sources sources = picture_sources(problem, array);
  int k = 0;
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 2; ++c)
      for (int h = 0; h < 3; ++h)
        for (int w = 0; w < 4; ++w, ++k) {
          const double x = sources.x(n, c, h, w);
          CHECK((k == 17 ? std::isnan(x) : x == numbers.values[static_cast<std::size_t>(k)]));
        }
  CHECK_THROWS_WITH(picture_sources(ConvProblem({.ci = 4, .hi = 3, .wi = 4, .hf = 2, .wf = 2}), array),
                    "picture: an array of 2x2x3x4 numbers, must be as the layer's input, 1x4x3x4");
}

TEST_CASE("view takes an .npy array of the layer's shape, and refuses another in one line") {
  const TemporaryFolder folder;
  const std::string array = folder.path() + "/a.npy", table = folder.path() + "/out.csv";
  testing::write_npy(array, {1, 2, 5, 5}, [](std::int64_t, std::int64_t, std::int64_t h, std::int64_t w) {
    return h == 2 && w == 3 ? std::numeric_limits<double>::quiet_NaN() : 0.5;
  });
  for (const auto& [layer, exit] : {std::pair{"1x2x5x5 --filter 2x3x3", 0}, std::pair{"1x3x5x5 --filter 2x3x3", 2}}) {
    const CommandResult result = convlens_command(
        {"view", layer, "--algorithm", "im2col.ref", "--arrangement", "grids", "--image", array, "--export", table});
    if (result.exit == 3) {
      WARN("SKIP: " << result.err);
      return;
    }
    INFO(result.err);
    CHECK(result.exit == exit);
    if (exit == 2)
      CHECK(result.err_lines() ==
            std::vector<std::string>{
                "convlens: picture: an array of 1x2x5x5 numbers, must be as the layer's input, 1x3x5x5"});
  }
}

TEST_CASE("the cells of an exported window hold the NaN and the infinities of the array") {
  const TemporaryFolder folder;
  const std::string array = folder.path() + "/a.npy";
  const double inf = std::numeric_limits<double>::infinity();
  testing::write_npy(array, {1, 1, 3, 3}, [&](std::int64_t, std::int64_t, std::int64_t h, std::int64_t w) {
    if (h == 1) return w == 0 ? std::nan("") : w == 1 ? inf : -inf;
    return 0.5;
  });
  const auto exported = [&](const std::string& file) {
    const CommandResult result = convlens_command({"view", "1x1x3x3 --filter 1x3x3", "--algorithm", "im2col.ref",
                                                   "--arrangement", "grids", "--image", array, "--export", file});
    INFO(result.err);
    CHECK((result.exit == 0 || result.exit == 3));
    if (result.exit == 3) WARN("SKIP: " << result.err);
    return result.exit == 0;
  };
  const std::string table = folder.path() + "/out.json", lines = folder.path() + "/out.csv";
  if (!exported(table) || !exported(lines)) return;
  std::vector<nlohmann::json> values;  // of row 1 of x
  for (const nlohmann::json& row : nlohmann::json::parse(std::ifstream(table)))
    if (row.at("tensor") == "x" && row.at("h") == 1) values.push_back(row.at("value"));
  CHECK(values == std::vector<nlohmann::json>{"NaN", "Infinity", "-Infinity"});
  std::ostringstream text;
  text << std::ifstream(lines).rdbuf();
  for (const char* name : {",nan,", ",inf,", ",-inf,"}) CHECK(text.str().find(name) != std::string::npos);
}
