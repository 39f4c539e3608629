// Blocks of tiles hold every tile once.
#include "algorithms/simd/tile_blocks.h"

#include <set>
#include <tuple>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"

namespace convlens::simd {

TEST_CASE("every tile is in one block, and no block has more than it may") {
  for (std::uint64_t index = 0; index < 300; ++index) {
    const auto draw = [&](std::uint64_t k, std::int64_t most) { return random_integer(11, 8 * index + k, 1, most); };
    const std::int64_t n = draw(0, 5), most = draw(4, 40);
    const std::int64_t tiles_h = draw(1, 12), tiles_w = draw(2, 12);
    const TileBlocking blocking(n, tiles_h, tiles_w, most);
    CAPTURE(n, most, tiles_h, tiles_w);
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
    for (std::int64_t number = 0; number < blocking.count(); ++number) {
      const TileBlock block = blocking.at(number);
      REQUIRE(block.tiles() >= 1);
      REQUIRE(block.tiles() <= std::min(most, blocking.tiles()));
      std::int64_t count = 0;
      block.for_each([&](std::int64_t i, std::int64_t image, std::int64_t t, std::int64_t s) {
        REQUIRE(i == count++);
        REQUIRE((image >= 0 && image < n && t >= 0 && t < tiles_h && s >= 0 && s < tiles_w));
        REQUIRE(seen.insert({image, t, s}).second);
      });
      REQUIRE(count == block.tiles());
    }
    REQUIRE(static_cast<std::int64_t>(seen.size()) == n * tiles_h * tiles_w);
  }
}

TEST_CASE("odd_lines is the next odd number of cache lines") {
  for (std::int64_t floats = 1; floats < 200; ++floats) {
    const std::int64_t lines = odd_lines(floats) / 16;
    REQUIRE(odd_lines(floats) % 16 == 0);
    REQUIRE(lines % 2 == 1);
    REQUIRE((odd_lines(floats) >= floats && odd_lines(floats) - floats < 32));
  }
}

TEST_CASE("an empty batch has no blocks") { CHECK(TileBlocking(0, 3, 3, 14).count() == 0); }

}  // namespace convlens::simd
