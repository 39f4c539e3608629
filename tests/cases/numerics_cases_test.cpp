// Cases about numbers: overflow and precision of half types, TF32, subnormals.
#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

TEST_CASE("B04: half inputs whose Winograd transform passes 65504 still give 18000", "[cases]") {
  ConvCase()
      .input(1, 1, 6, 6)
      .filter(1, 3, 3)
      .x(all(2000))
      .w(all(1))
      .in({DType::f16})
      .expect_shape(1, 1, 4, 4)
      .expect_all(18000)
      .holds();

  SECTION("and so does anything that fits f16 before and after: 9 taps of ±7264") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Filler x = [seed](auto n, auto c, auto h, auto w) { return 7264 * drawn(seed, 1)(n, c, h, w); };
      ConvCase()
          .input(1, 1, 9, 10)
          .filter(2, 3, 3)
          .pad(1)
          .x(x)
          .w(drawn(seed + 1000, 1))
          .in({DType::f16})
          .half_as_promised()
          .holds();
    }
  }
}

TEST_CASE("B53: sums of half numbers are kept in f32: 4096 ones are 4096, not 2048", "[cases]") {
  const auto ones = [](std::int64_t channels) {
    return ConvCase().input(1, channels, 1, 1).filter(1, 1, 1).x(all(1)).w(all(1)).may_refuse("winograd", "filter");
  };
  ones(4096).in({DType::f16, DType::bf16}).expect_all(4096).holds();

  SECTION("and any other number of them is rounded once") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Draw draw{seed};
      const std::int64_t channels = draw(2049, 9000);
      ones(channels)
          .in({DType::f16, DType::bf16})
          .layouts(uniform_layouts())
          .expect_all(static_cast<double>(channels))
          .holds();
    }
  }
}

TEST_CASE("B53: a running sum of 120000 passes f16's largest number and comes back", "[cases]") {
  ConvCase()
      .input(1, 1, 1, 5)
      .filter(1, 1, 3)
      .x(all(60000))
      .w({1, 1, -1})
      .in({DType::f16})
      .expect_values({60000, 60000, 60000})
      .may_refuse("winograd", "filter")
      .half_as_promised("fft.tc")  // spectra in f16 lose more than 16, half the step from 60000 to 60032
      .holds();
}

TEST_CASE("B54: f32 is f32: eight times 1 + 2^-12 is 8.001953125, and 8 would be TF32", "[cases]") {
  ConvCase()
      .input(1, 8, 4, 4)
      .filter(8, 1, 1)
      .x(all(1 + 0x1p-12))
      .w(all(1))
      .in({DType::f32, DType::f64})
      .expect_all(8.001953125)
      .within(1e-5)
      .may_refuse("winograd", "filter")
      .holds();
}

TEST_CASE("B62: subnormal numbers are kept, in every type", "[cases]") {
  const auto passes_through = [](double value, DType dtype) {
    ConvCase()
        .input(1, 1, 2, 2)
        .filter(1, 1, 1)
        .x(all(value))
        .w(all(1))
        .in({dtype})
        .expect_all(value)
        .within(smallest_subnormal(dtype))
        .may_refuse("winograd", "filter")
        .holds();
  };
  passes_through(0x1p-140, DType::f32);
  for (DType dtype : kDTypes) passes_through(5 * smallest_subnormal(dtype), dtype);
}

TEST_CASE("B62: an input of -0 gives something that equals 0", "[cases]") {
  ConvCase()
      .input(1, 1, 2, 2)
      .filter(1, 1, 1)
      .x(all(-0.0))
      .w(all(1))
      .expect_all(0)
      .within(1e-30)
      .may_refuse("winograd", "filter")
      .holds();
}

TEST_CASE("B62: running every row leaves the host's floating-point mode as it was, in all threads", "[cases]") {
  const auto threads_that_flush = [] {
    int flushing = 0;
#pragma omp parallel reduction(+ : flushing)
    {
      volatile float tiny = 1e-40f, one = 1.0f;
      if (tiny * one == 0.0f) ++flushing;
    }
    return flushing;
  };
  CHECK(threads_that_flush() == 0);
  ConvCase().input(1, 2, 5, 5).filter(2, 3, 3).pad(1).x(XH).w(WH).holds();
  CHECK(threads_that_flush() == 0);
}
