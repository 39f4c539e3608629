// Cases about sizes: strides that leave rows over, kernels as wide as the image, padding on one side, empty
// batches.
#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// The one line with which a layer is refused, or "" when it is legal.
std::string refusal(const ConvSpec& spec) {
  try {
    const ConvProblem legal(spec);
    return "";
  } catch (const BadInput& bad) {
    CHECK(bad.exit() == Exit::bad_input);
    return bad.what();
  }
}

}  // namespace

TEST_CASE("B12: an image of more than 65535 pixels is computed to its last pixel", "[cases]") {
  ConvCase()
      .input(1, 2, 256, 257)
      .filter(2, 3, 3)
      .pad(1)
      .x(XH)
      .w(WH)
      .in({DType::f32, DType::f16})
      .layouts(uniform_layouts())
      .expect_shape(1, 2, 256, 257)
      .expect_sums(-128087, -6290167)
      .expect_at(0, -1)
      .expect_at(65535, 2)
      .expect_at(65536, -23)
      .expect_at(65792, -1)
      .expect_at(131583, -12)
      .expect_largest(85)
      .holds();
}

TEST_CASE("B17: an empty batch gives an empty result of the right shape, and no work", "[cases]") {
  ConvCase empty;
  empty.input(0, 3, 5, 7).filter(4, 3, 3).pad(1).x(XH).w(WH).expect_shape(0, 4, 5, 7);
  empty.expect([](const Reference& r) { CHECK(r.problem.flops() == 0); }).holds();

  SECTION("whatever else the layer asks for") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.n = 0, spec.stride_h = draw(1, 3), spec.dilation_w = 1, spec.ci = spec.co = spec.groups = draw(1, 4);
      ConvCase()
          .layer(spec)
          .x(XH)
          .w(WH)
          .layouts(uniform_layouts())
          .may_refuse("winograd", "")
          .half_as_promised()
          .holds();
    }
  }
}

TEST_CASE("B49: a stride longer than the kernel skips rows and rounds the output size down", "[cases]") {
  ConvCase()
      .input(1, 2, 10, 7)
      .filter(2, 2, 1)
      .stride(4, 3)
      .x(XH)
      .w(WH)
      .expect_shape(1, 2, 3, 3)
      .expect_values({23, -10, -10, -17, -20, 21, 20, 14, 8, -7, 14, 2, -7, -19, 13, -7, -8, -20})
      .may_refuse("winograd", "stride")
      .holds();

  SECTION("by any stride, kernel and number of rows left over") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.stride_h = spec.hf + draw(1, 3), spec.stride_w = spec.wf + draw(1, 3);
      spec.hi += draw(0, 9), spec.wi += draw(0, 9);
      drawn_case(spec, seed).may_refuse("winograd", "stride").holds();
    }
  }
}

TEST_CASE("B57: a 1x7 kernel padded left and right only keeps H and W apart", "[cases]") {
  ConvCase()
      .input(1, 2, 5, 9)
      .filter(2, 1, 7)
      .pad(0, 0, 3, 3)
      .x(XH)
      .w(WH)
      .expect_shape(1, 2, 5, 9)
      .expect_sums(37, 849)
      .expect_at(0, 18)
      .expect_at(89, 26)
      .may_refuse("winograd", "filter")
      .holds();
}

TEST_CASE("B57: an output of a single column is computed like any other", "[cases]") {
  ConvCase()
      .input(2, 3, 6, 3)
      .filter(2, 3, 3)
      .x(XH)
      .w(WH)
      .expect_shape(2, 2, 4, 1)
      .expect_values({25, 8, -31, -4, 52, 25, -35, -18, 5, -45, 37, -46, 38, -33, -38, 12})
      .holds();
}

TEST_CASE("B57: kernels of one row or one column, with padding on each side by itself", "[cases]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Draw draw{seed};
    ConvSpec spec = drawn_layer(draw);
    (draw.coin() ? spec.hf : spec.wf) = 1;
    (draw.coin() ? spec.hi : spec.wi) += 7;
    drawn_case(spec, seed).may_refuse("winograd", "filter").holds();
  }
}

TEST_CASE("B58: a dilated kernel wider than the image reaches into the padding and hits with its centre alone",
          "[cases]") {
  ConvCase()
      .input(1, 1, 5, 5)
      .filter(1, 3, 3)
      .pad(2)
      .dilation(4)
      .x_counts_from(0)
      .w_counts_from(1)
      .expect_shape(1, 1, 1, 1)
      .expect_values({60})
      .may_refuse("winograd", "dilation")
      .may_refuse("fft", "tile")
      .holds();

  ConvSpec one_row_too_few{.hi = 5, .wi = 5, .hf = 3, .wf = 3, .dilation_h = 4, .dilation_w = 4};
  one_row_too_few.pad_top = one_row_too_few.pad_bottom = one_row_too_few.pad_left = one_row_too_few.pad_right = 1;
  CHECK(refusal(one_row_too_few) ==
        "hf: 3, with dilation 4 reaches over 9 elements, must be ≤ the padded input's 7; "
        "wf: 3, with dilation 4 reaches over 9 elements, must be ≤ the padded input's 7");

  SECTION("by any dilation, in one axis or both") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.dilation_h = draw(1, 4), spec.dilation_w = draw(2, 4);
      spec.pad_top += spec.dilation_h * (spec.hf - 1) / 2, spec.pad_bottom += spec.dilation_h * (spec.hf - 1) / 2;
      spec.pad_left += spec.dilation_w * (spec.wf - 1), spec.stride_w = draw(1, 2);
      drawn_case(spec, seed).may_refuse("winograd", "").may_refuse("fft", "tile").holds();
    }
  }
}

TEST_CASE("B59: the odd row of an even kernel's SAME padding goes below and right, or above and left, as told",
          "[cases]") {
  const auto same_padded = [] {
    return ConvCase().input(1, 1, 3, 4).filter(1, 2, 2).x_counts_from(0).w_counts_from(1);
  };
  same_padded()
      .pad(0, 1, 0, 1)
      .expect_shape(1, 1, 3, 4)
      .expect_values({34, 44, 54, 24, 74, 84, 94, 40, 26, 29, 32, 11})
      .holds();
  same_padded()
      .pad(1, 0, 1, 0)
      .expect_shape(1, 1, 3, 4)
      .expect_values({0, 4, 11, 18, 16, 34, 44, 54, 40, 74, 84, 94})
      .holds();
}

TEST_CASE("B60: whether a kernel is too large is a matter of the padded input", "[cases]") {
  ConvCase()
      .input(1, 1, 2, 2)
      .filter(1, 3, 3)
      .pad(1)
      .x(all(1))
      .w(all(1))
      .expect_shape(1, 1, 2, 2)
      .expect_all(4)
      .holds();

  const ConvSpec unpadded{.hi = 2, .wi = 2, .hf = 3, .wf = 3};
  CHECK(refusal(unpadded).find("hf: 3, ") == 0);
  CHECK(refusal(unpadded).find("must be ≤ the padded input's 2") != std::string::npos);
  ConvSpec five{.hi = 2, .wi = 2, .hf = 5, .wf = 5, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1};
  CHECK(refusal(five).find("must be ≤ the padded input's 4") != std::string::npos);

  SECTION("exactly: legal with H_f = H_i + padding, refused with one row more") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.hi = draw(1, 3), spec.wi = draw(1, 3);
      spec.hf = spec.hi + spec.pad_top + spec.pad_bottom, spec.wf = spec.wi + spec.pad_left + spec.pad_right;
      drawn_case(spec, seed).may_refuse("winograd", "filter").holds();
      ++spec.hf;
      CHECK(refusal(spec).find("hf: " + std::to_string(spec.hf)) == 0);
    }
  }
}
