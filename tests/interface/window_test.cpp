// The sliding window along one axis.
#include <set>

#include "algorithms/interface/window.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;

std::set<std::pair<std::int64_t, std::int64_t>> readers(const WindowAxis& axis, std::int64_t input) {
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  axis.readers(input, [&](std::int64_t output, std::int64_t tap) { REQUIRE(found.insert({output, tap}).second); });
  return found;
}

}  // namespace

TEST_CASE("the readers of an input element are the outputs and taps whose input it is") {
  for (std::uint64_t index = 0; index < 300; ++index) {
    const ConvProblem p = convlens::testing::random_problem(41, index);
    for (const WindowAxis& axis : {WindowAxis::rows(p), WindowAxis::columns(p)}) {
      INFO("layer " << index);
      // Elements of the padding have readers too: im2win asks for them.
      for (std::int64_t input = -axis.pad - 3; input < axis.size + 5; ++input) {
        std::set<std::pair<std::int64_t, std::int64_t>> expected;
        for (std::int64_t output = 0; output < axis.outputs; ++output)
          for (std::int64_t tap = 0; tap < axis.taps; ++tap)
            if (axis.input(output, tap) == input) expected.insert({output, tap});
        REQUIRE(readers(axis, input) == expected);
      }
    }
  }
}

TEST_CASE("the span reaches from the first element a window touches to the last") {
  for (std::uint64_t index = 0; index < 300; ++index) {
    const ConvProblem p = convlens::testing::random_problem(42, index);
    for (const WindowAxis& axis : {WindowAxis::rows(p), WindowAxis::columns(p)}) {
      REQUIRE(axis.input(0, 0) == -axis.pad);
      REQUIRE(axis.input(axis.outputs - 1, axis.taps - 1) == -axis.pad + axis.span() - 1);
    }
    REQUIRE(WindowAxis::rows(p).span() <= p.padded_h());
    REQUIRE(WindowAxis::columns(p).span() <= p.padded_w());
  }
}

TEST_CASE("inside is without the padding") {
  const WindowAxis axis{.size = 5, .outputs = 7, .taps = 3, .stride = 1, .dilation = 1, .pad = 2};
  CHECK_FALSE(axis.inside(-1));
  CHECK(axis.inside(0));
  CHECK(axis.inside(4));
  CHECK_FALSE(axis.inside(5));
}
