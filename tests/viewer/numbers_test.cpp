// An array of one's own as the input: every number where it is, NaN and Inf too, and never stretched.
#include <cmath>
#include <limits>

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
