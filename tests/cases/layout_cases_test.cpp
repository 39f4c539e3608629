// Cases about where the numbers lie in memory and in which order they are read.
#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

TEST_CASE("B14: a reversed view is read backwards, by its strides and not as raw memory", "[cases]") {
  // a = arange(16).reshape(1, 1, 4, 4); x = a[:, :, :, ::-1]
  ConvCase()
      .input(1, 1, 4, 4)
      .filter(1, 1, 2)
      .x([](auto, auto, auto h, auto w) { return static_cast<double>(4 * h + 3 - w); })
      .x_lies({16, 16, 4, -1}, 3)
      .w({1, -2})
      .expect_shape(1, 1, 4, 3)
      .expect_values({-1, 0, 1, -5, -4, -3, -9, -8, -7, -13, -12, -11})
      .may_refuse("winograd", "filter")
      .holds();
}

TEST_CASE("B14: a transposed view is read down its columns", "[cases]") {
  // x = a.transpose(0, 1, 3, 2)
  ConvCase()
      .input(1, 1, 4, 4)
      .filter(1, 1, 2)
      .x([](auto, auto, auto h, auto w) { return static_cast<double>(h + 4 * w); })
      .x_lies({16, 16, 1, 4}, 0)
      .w({1, -2})
      .expect_shape(1, 1, 4, 3)
      .expect_values({-8, -12, -16, -9, -13, -17, -10, -14, -18, -11, -15, -19})
      .may_refuse("winograd", "filter")
      .holds();
}

TEST_CASE("B14: x, w and y with any order of axes, reversals and gaps give what dense tensors give", "[cases]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw{seed};
    ConvSpec spec = drawn_layer(draw);
    spec.stride_h = draw(1, 2), spec.dilation_w = draw(1, 2), spec.pad_right += spec.dilation_w * spec.wf;
    drawn_case(spec, seed)
        .bias([](std::int64_t o) { return static_cast<double>(o - 2); })
        .views_strided(seed)
        .may_refuse("winograd", "")
        .holds();
  }
}

TEST_CASE("B14: one element seen as a whole image, with strides of zero", "[cases]") {
  ConvCase().input(2, 3, 5, 4).filter(2, 3, 3).x(all(2)).x_lies({0, 0, 0, 0}, 0).w(all(1)).expect_all(54).holds();
}

TEST_CASE("B47: an input of C = H = W reads the same in NCHW, NHWC and CHWN, as the layout says and not the sizes",
          "[cases]") {
  ConvCase()
      .input(1, 4, 4, 4)
      .filter(2, 3, 3)
      .pad(1)
      .x(XH)
      .w(WH)
      .expect_shape(1, 2, 4, 4)
      .expect_starts_with({-2, 4, -33, 49, -16, -17, 15, -8, 2, -1, -9, 27, 13, 9, -21, 14})  // y(0, 0)
      .expect_sums(21, 227)
      .holds();

  SECTION("and so do layers whose axes are all of one length, and those with axes of length one") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Draw draw{seed};
      const std::int64_t length = draw(1, 6), kernel = draw(1, length), channels = draw.coin() ? length : 1;
      ConvCase()
          .input(draw.coin() ? length : 1, channels, length, length)
          .filter(draw.coin() ? length : 1, kernel, kernel)
          .x(drawn(seed, 5))
          .w(drawn(seed + 1000, 3))
          .of_a_series(seed)
          .may_refuse("winograd", "filter")
          .half_as_promised()
          .holds();
    }
  }
}

TEST_CASE("B61: convolution means cross-correlation, the filter is not flipped", "[cases]") {
  ConvCase()
      .input(1, 1, 5, 2)
      .filter(1, 2, 1)
      .x_counts_from(0)
      .w({1, 2})
      .expect_shape(1, 1, 4, 2)
      .expect_values({4, 7, 10, 13, 16, 19, 22, 25})
      .may_refuse("winograd", "filter")
      .holds();
}
