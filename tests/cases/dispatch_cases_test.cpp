// Cases about special paths: a row that has one must take it only where it is right, or say no.
#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

namespace {
bool is_winograd(const Algorithm& row) { return row.family == "winograd"; }
}  // namespace

TEST_CASE("B25: a row that this build cannot run refuses with what is missing", "[cases]") {
  const ConvProblem problem({.hi = 4, .wi = 4, .hf = 3, .wf = 3});
  for (const Algorithm* row : algorithms()) {
    const std::string missing = row->missing ? row->missing() : "";
    const Support support = row->supports({problem});
    INFO(row->id);
    CHECK((support.ok || !support.reason.empty()));
    if (!missing.empty()) CHECK_FALSE(support.ok);
    CHECK(support.reason.find(missing) != std::string::npos);
  }
}

TEST_CASE(
    "B25: Winograd computes stride, dilation and other kernels, or refuses in words, it never passes off "
    "another's result",
    "[cases]") {
  const auto layer = [] { return ConvCase().input(1, 4, 8, 8).x(XH).w(WH); };
  layer().filter(4, 3, 3).stride(2).may_refuse("winograd", "stride").holds();
  layer().filter(4, 3, 3).stride(1, 2).may_refuse("winograd", "stride").holds();
  layer().filter(4, 3, 3).dilation(2).may_refuse("winograd", "dilation").holds();
  layer().filter(4, 5, 5).may_refuse("winograd", "filter").holds();
  layer().filter(4, 3, 1).may_refuse("winograd", "filter").holds();
  layer().filter(4, 3, 3).groups(2).may_refuse("winograd", "groups").holds();
}

TEST_CASE(
    "B25: any mix of stride, dilation, kernel and groups is computed, or refused with the rule that is "
    "broken",
    "[cases]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw{seed};
    ConvSpec spec = drawn_layer(draw);
    spec.stride_h = draw(1, 3), spec.stride_w = draw(1, 3), spec.dilation_h = draw(1, 2), spec.dilation_w = draw(1, 2);
    spec.hi += 4, spec.wi += 4, spec.groups = draw(1, 3), spec.ci *= spec.groups, spec.co *= spec.groups;
    drawn_case(spec, seed).may_refuse("winograd", "").holds();
  }
}

TEST_CASE("B38: three channels of f16 in NHWC, with memory around them full of NaN", "[cases]") {
  ConvCase()
      .input(1, 3, 5, 7)
      .filter(5, 3, 3)
      .pad(1)
      .x(XH)
      .w(WH)
      .expect_shape(1, 5, 5, 7)
      .expect_sums(98, 3424)
      .expect_at(0, 10)
      .expect_at(174, 2)
      .expect_largest(72)
      .holds();
}

TEST_CASE("B38: any other number of channels up to 17", "[cases]") {
  for (std::int64_t channels = 1; channels <= 17; ++channels) DYNAMIC_SECTION("of " << channels) {
      ConvCase()
          .input(1, channels, 4, 5)
          .filter(18 - channels, 3, 3)
          .pad(1)
          .x(XH)
          .w(WH)
          .layouts(uniform_layouts())
          .half_as_promised()
          .holds();
    }
}

TEST_CASE("B40: outputs that are no multiple of the Winograd tile", "[cases]") {
  ConvCase()
      .input(2, 3, 7, 9)
      .filter(2, 3, 3)
      .x(XH)
      .w(WH)
      .expect_shape(2, 2, 5, 7)
      .expect_sums(137, -5316)
      .expect_at(0, 25)
      .expect_at(139, -39)
      .expect_largest(77)
      .holds();
  ConvCase().input(2, 3, 3, 3).filter(2, 3, 3).x(XH).w(WH).expect_shape(2, 2, 1, 1).expect_at(0, 25).holds();
}

TEST_CASE("B40: every size of the last tile, in both directions, with and without padding", "[cases]") {
  for (std::int64_t ho = 1; ho <= 9; ++ho)
    for (std::int64_t wo = 1; wo <= 9; ++wo) {
      const std::int64_t pad = (ho + wo) % 2;
      if (ho + 2 > 2 * pad && wo + 2 > 2 * pad)
        ConvCase()
            .input(1, 2, ho + 2 - 2 * pad, wo + 2 - 2 * pad)
            .filter(2, 3, 3)
            .pad(pad)
            .x(XH)
            .w(WH)
            .in({DType::f32})
            .layouts(uniform_layouts())
            .expect_shape(1, 2, ho, wo)
            .of(is_winograd)
            .holds();
    }
}

TEST_CASE("B44: a 1x1 kernel with stride and padding is no plain matrix product", "[cases]") {
  ConvCase()
      .input(1, 2, 3, 3)
      .filter(2, 1, 1)
      .stride(2)
      .pad(1)
      .x(XH)
      .w(WH)
      .expect_shape(1, 2, 3, 3)
      .expect_values({0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, -14, 0, 0, 0, 0})
      .may_refuse("winograd", "stride")
      .holds();

  SECTION("for any stride and padding on each side by itself") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.hf = spec.wf = 1, spec.stride_h = draw(1, 3), spec.stride_w = draw(1, 3);
      drawn_case(spec, seed).may_refuse("winograd", "").holds();
    }
  }
}

TEST_CASE("B50: depthwise with two outputs a channel: 0 and 1 read channel 0, 2 and 3 read channel 1", "[cases]") {
  ConvCase()
      .input(1, 2, 5, 6)
      .filter(4, 3, 3)
      .pad(1)
      .groups(2)
      .x(XH)
      .w(WH)
      .expect_shape(1, 4, 5, 6)
      .expect_sums(30, 2784)
      .expect_at(0, 2)
      .expect_at(119, -13)
      .may_refuse("winograd", "groups")
      .holds();

  SECTION("any number of groups, channels and outputs a group") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.groups = draw(2, 4), spec.ci = spec.groups * draw(1, 3), spec.co = spec.groups * draw(1, 3),
      spec.stride_w = draw(1, 2);
      drawn_case(spec, seed).may_refuse("winograd", "").holds();
    }
  }
}

TEST_CASE("B51: what an FFT's circle wraps around stays out of the result", "[cases]") {
  const auto last_pixel = [](auto, auto, auto h, auto w) { return h == 7 && w == 7 ? 1.0 : 0.0; };
  ConvCase()
      .input(1, 1, 8, 8)
      .filter(1, 3, 3)
      .pad(1)
      .x(last_pixel)
      .w_counts_from(1)
      .within(1e-5)
      .in({DType::f32, DType::f64})
      .expect([](const Reference& r) { CHECK(check_sums(r.y).s1 == 28); })
      .expect_at(6 * 8 + 6, 9)
      .expect_at(6 * 8 + 7, 8)
      .expect_at(7 * 8 + 6, 6)
      .expect_at(7 * 8 + 7, 5)
      .holds();

  SECTION("from any corner, at even and odd sizes, for any kernel") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Draw draw{seed};
      const ConvSpec spec = drawn_layer(draw);
      const std::int64_t row = draw.coin() ? spec.hi - 1 : 0, column = draw.coin() ? spec.wi - 1 : 0;
      const Filler corner = [=](auto, auto, auto h, auto w) { return h == row && w == column ? 1.0 : 0.0; };
      ConvCase()
          .layer(spec)
          .x(corner)
          .w(drawn(seed, 3))
          .of_a_series(seed)
          .in({DType::f32})
          .within(1e-5)
          .may_refuse("winograd", "filter")
          .half_as_promised()
          .holds();
    }
  }
}
