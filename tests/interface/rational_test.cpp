// Exact fractions.
#include "algorithms/interface/rational.h"

#include <limits>

#include "tests/catch.h"

using convlens::Rational;

TEST_CASE("fractions are kept in lowest terms with a positive denominator") {
  CHECK(Rational(6, -4).text() == "-3/2");
  CHECK(Rational(0, -7) == Rational(0));
  CHECK(Rational(-8, -4).text() == "2");
  CHECK(Rational(1, 24).value() == 1.0 / 24);
}

TEST_CASE("fractions compute exactly") {
  CHECK(Rational(1, 6) + Rational(1, 10) == Rational(4, 15));
  CHECK(Rational(1, 6) - Rational(1, 6) == Rational(0));
  CHECK((Rational(1, 6) - Rational(1, 6)).zero());
  CHECK(Rational(2, 3) * Rational(-9, 4) == Rational(-3, 2));
  CHECK(Rational(2, 3) / Rational(-4, 9) == Rational(-3, 2));
  CHECK(-Rational(2, 3) == Rational(-2, 3));
}

TEST_CASE("fractions refuse what they cannot hold") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(Rational(1, 0), convlens::BadInput);
  CHECK_THROWS_AS(Rational(1) / Rational(0), convlens::BadInput);
  CHECK_THROWS_AS(Rational(most) + Rational(1), convlens::Unsupported);
  CHECK_THROWS_AS(Rational(1, most) * Rational(1, 2), convlens::Unsupported);
  CHECK(Rational(most, 2) * Rational(2, most) == Rational(1));  // a product too wide for 64 bits on the way
}
