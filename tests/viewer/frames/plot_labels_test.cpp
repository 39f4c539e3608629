// Names of points that stand close together: apart, in order, and near their points.
#include <algorithm>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"
#include "viewer/ui/plot.h"

using namespace convlens;
using viewer::spread;

TEST_CASE("names that have room stand where they are wanted, others around it") {
  CHECK(spread({10, 50, 90}, 20, 0, 100) == std::vector<float>{10, 50, 90});
  CHECK(spread({50, 50}, 20, 0, 100) == std::vector<float>{40, 60});
  CHECK(spread({50, 50, 50}, 20, 0, 100) == std::vector<float>{30, 50, 70});
  CHECK(spread({0, 0}, 20, 0, 100) == std::vector<float>{0, 20});
  CHECK(spread({100, 100}, 20, 0, 100) == std::vector<float>{80, 100});
  CHECK(spread({}, 20, 0, 100).empty());
}

TEST_CASE("names never cover each other, and leave the plot only where there is no room") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<float> wanted;
    for (std::uint64_t k = 0; k < seed % 13; ++k) wanted.push_back(static_cast<float>(random_integer(seed, k, 0, 100)));
    std::ranges::sort(wanted);
    const std::vector<float> at = spread(wanted, 10, 0, 100);
    REQUIRE(at.size() == wanted.size());
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (k > 0) CHECK(at[k] - at[k - 1] >= 9.99f);
      CHECK(at[k] >= 0);
      if (wanted.size() <= 11) CHECK(at[k] <= 100.01f);
    }
  }
}
