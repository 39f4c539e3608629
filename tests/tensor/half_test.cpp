#include "algorithms/tensor/half.h"

#include <cmath>
#include <limits>

#include "algorithms/tensor/dtype.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

// What the tests know about a format, apart from its code.
template <class Half>
struct Format;
template <>
struct Format<f16> {
  static constexpr int fraction_bits = 10, bias = 15, exponents = 32;
};
template <>
struct Format<bf16> {
  static constexpr int fraction_bits = 7, bias = 127, exponents = 256;
};

template <class Half>
constexpr std::uint32_t kInfinity = (Format<Half>::exponents - 1) << Format<Half>::fraction_bits;
constexpr std::uint32_t kSign = 0x8000;

// The value of a finite non-negative pattern by the definition of the format.
template <class Half>
double value_of(std::uint32_t pattern) {
  using F = Format<Half>;
  const int exponent = static_cast<int>(pattern >> F::fraction_bits);
  const double fraction = std::ldexp(static_cast<double>(pattern % (1u << F::fraction_bits)), -F::fraction_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - F::bias) : std::ldexp(1 + fraction, exponent - F::bias);
}

template <class Half>
float widened(std::uint32_t pattern) {
  return Half::from_bits(static_cast<std::uint16_t>(pattern));
}

}  // namespace

TEMPLATE_TEST_CASE("every finite pattern has the format's value, and comes back from it", "", f16, bf16) {
  for (std::uint32_t pattern = 0; pattern < kInfinity<TestType>; ++pattern)
    for (std::uint32_t sign : {0u, kSign}) {
      const double value = sign ? -value_of<TestType>(pattern) : value_of<TestType>(pattern);
      INFO("pattern " << (pattern | sign));
      REQUIRE(static_cast<double>(widened<TestType>(pattern | sign)) == value);
      REQUIRE(std::signbit(widened<TestType>(pattern | sign)) == (sign != 0));
      REQUIRE(TestType(value).bits == (pattern | sign));
    }
}

TEMPLATE_TEST_CASE("infinities come back, and every NaN stays one with its sign", "", f16, bf16) {
  for (std::uint32_t sign : {0u, kSign}) {
    CHECK(std::isinf(widened<TestType>(kInfinity<TestType> | sign)));
    CHECK(TestType(widened<TestType>(kInfinity<TestType> | sign)).bits == (kInfinity<TestType> | sign));
    for (std::uint32_t pattern = kInfinity<TestType> + 1; pattern < kSign; ++pattern) {
      const float wide = widened<TestType>(pattern | sign);
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(static_cast<float>(TestType(wide))));
      REQUIRE((TestType(wide).bits & kSign) == sign);
    }
  }
}

TEMPLATE_TEST_CASE("a value between two neighbours becomes the nearer, or the even one half way", "", f16, bf16) {
  for (std::uint32_t low = 0; low + 1 < kInfinity<TestType>; ++low) {
    const double a = value_of<TestType>(low), b = value_of<TestType>(low + 1), middle = (a + b) / 2;
    const std::uint32_t even = low % 2 == 0 ? low : low + 1;
    for (double sign : {1.0, -1.0}) {
      const std::uint32_t bit = sign < 0 ? kSign : 0;
      INFO("between patterns " << low << " and " << low + 1);
      REQUIRE(TestType(sign * middle).bits == (even | bit));
      REQUIRE(TestType(sign * std::nextafter(middle, a)).bits == (low | bit));
      REQUIRE(TestType(sign * std::nextafter(middle, b)).bits == ((low + 1) | bit));
      REQUIRE(TestType(sign * std::nextafter(a, b)).bits == (low | bit));
      REQUIRE(TestType(sign * std::nextafter(b, a)).bits == ((low + 1) | bit));
    }
  }
}

TEMPLATE_TEST_CASE("what rounds beyond the largest value is infinite, and not before", "", f16, bf16) {
  const double largest = value_of<TestType>(kInfinity<TestType> - 1);
  const double gap = largest - value_of<TestType>(kInfinity<TestType> - 2);
  CHECK(TestType(std::nextafter(largest + gap / 2, 0.0)).bits == kInfinity<TestType> - 1);
  CHECK(TestType(largest + gap / 2).bits == kInfinity<TestType>);
  CHECK(TestType(-largest - gap / 2).bits == (kInfinity<TestType> | kSign));
  CHECK(TestType(std::numeric_limits<double>::max()).bits == kInfinity<TestType>);
  CHECK(TestType(std::numeric_limits<double>::infinity()).bits == kInfinity<TestType>);
}

TEMPLATE_TEST_CASE("what is too small becomes zero and keeps its sign", "", f16, bf16) {
  const double half = value_of<TestType>(1) / 2;
  CHECK(TestType(half).bits == 0);
  CHECK(TestType(-half).bits == kSign);
  CHECK(TestType(std::nextafter(half, 1.0)).bits == 1);
  CHECK(TestType(std::numeric_limits<double>::denorm_min()).bits == 0);
  CHECK(TestType(-std::numeric_limits<double>::denorm_min()).bits == kSign);
  CHECK(TestType(0.0).bits == 0);
  CHECK(TestType(-0.0).bits == kSign);
}

TEMPLATE_TEST_CASE("any double rounds to the nearest value", "", f16, bf16) {
  for (std::uint64_t k = 0; k < 100000; ++k) {
    // A random double whose exponent is in and around the range of the format.
    const int reach = Format<TestType>::bias + Format<TestType>::fraction_bits + 3;
    const int exponent = static_cast<int>(random_integer(1, 2 * k + 1, -reach, reach));
    const double x = std::ldexp(1 + std::abs(random_uniform(1, 2 * k)), exponent);
    const double rounded = static_cast<float>(TestType(x));
    INFO("x = " << x);
    if (std::isinf(rounded)) {
      REQUIRE(x > value_of<TestType>(kInfinity<TestType> - 1));
      continue;
    }
    // Errors towards both neighbours are exact in double where they matter.
    const std::uint32_t pattern = TestType(x).bits;
    const double error = std::abs(x - rounded);
    if (pattern > 0) REQUIRE(error <= std::abs(x - value_of<TestType>(pattern - 1)));
    if (pattern + 1 < kInfinity<TestType>) REQUIRE(error <= std::abs(x - value_of<TestType>(pattern + 1)));
  }
}

TEST_CASE("a double is rounded once, not by way of float") {
  // Just above the middle of two f16 neighbours; float rounds it onto the middle, and from there to even, downwards.
  const double x = 1 + 0x1p-11 + 0x1p-40;
  CHECK(static_cast<float>(f16(x)) == 1 + 0x1p-10f);
  CHECK(static_cast<float>(f16(static_cast<float>(x))) == 1.0f);
  const double z = 1 + 0x1p-8 + 0x1p-40;
  CHECK(static_cast<float>(bf16(z)) == 1 + 0x1p-7f);
  CHECK(static_cast<float>(bf16(static_cast<float>(z))) == 1.0f);
}

TEST_CASE("the unit roundoff and the smallest subnormal are those of the types") {
  for (DType dtype : kDTypes)
    visit(dtype, [&]<class T>() {
      const double u = unit_roundoff(dtype), tiny = smallest_subnormal(dtype);
      INFO(name(dtype));
      CHECK(static_cast<double>(static_cast<T>(1 + u)) == 1.0);  // the tie goes to even
      CHECK(static_cast<double>(static_cast<T>(1 + 2 * u)) == 1 + 2 * u);
      CHECK(static_cast<double>(static_cast<T>(tiny)) == tiny);
      CHECK(static_cast<double>(static_cast<T>(tiny / 2)) == 0.0);
      CHECK(size_of(dtype) == static_cast<std::int64_t>(sizeof(T)));
      CHECK(parse_dtype(name(dtype)) == dtype);
    });
  CHECK(!parse_dtype("f8"));
}

static_assert(f16(65504.0).bits == 0x7bff && f16(65520.0).bits == 0x7c00, "conversion works at compile time");
