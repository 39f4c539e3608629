#include "algorithms/check/nonfinite.h"

#include "algorithms/check/fuzz.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

// All that a crop must leave alone.
ConvSpec frame(const ConvProblem& p) {
  ConvSpec s = p.spec();
  s.n = s.ci = s.hi = s.wi = s.co = s.groups = 1;
  return s;
}

}  // namespace

TEST_CASE("a small problem is not cropped", "[nonfinite]") {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const ConvProblem p = random_problem(4, index);
    CHECK(cropped(p) == p);
  }
}

TEST_CASE("a large problem is cropped to a small one of the same kind", "[nonfinite]") {
  for (std::uint64_t index = 0; index < 500; ++index) {
    ConvSpec spec = random_problem(4, index).spec();
    spec.n = 8;
    spec.ci *= 16;
    spec.co *= 16;
    spec.hi += 60;
    spec.wi += 80;
    const ConvProblem large(spec), small = cropped(large);
    if (large.multiplications() <= 1 << 22) continue;
    CHECK(small.multiplications() <= 1 << 22);
    CHECK(frame(small) == frame(large));
    CHECK((small.groups() > 1) == (large.groups() > 1));
    CHECK((small.ci_per_group() == 1) == (large.ci_per_group() == 1));
    CHECK((small.ho() > 1 && small.wo() > 1));
  }
}
