// Cases about numbers: NaN and Inf, overflow and precision of half types, subnormals.
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// `usual` everywhere but at one element.
Filler all_but(double usual, Shape at, double there) {
  return [=](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) { return Shape{a, b, c, d} == at ? there : usual; };
}

std::int64_t count_nan(std::span<const double> y) { return std::ranges::count_if(y, [](double v) { return std::isnan(v); }); }

double finite_sum(std::span<const double> y) {
  double sum = 0;
  for (double value : y)
    if (std::isfinite(value)) sum += value;
  return sum;
}

}  // namespace

TEST_CASE("B02: a NaN reaches every output that depends on it, and no other unless the row declares so", "[cases]") {
  ConvCase nan_at_3_3;
  nan_at_3_3.input(2, 2, 16, 16).filter(2, 3, 3).pad(1).x(all_but(1, {0, 0, 3, 3}, kNaN)).w(all(1));
  nan_at_3_3.expect([](const Reference& r) {
    CHECK(count_nan(r.y) == 18);
    CHECK(finite_sum(r.y) == 16604);
    const std::span<const double> second = std::span(r.y).subspan(r.y.size() / 2);
    CHECK(count_nan(second) == 0);
    CHECK(finite_sum(second) == 8464);
    const View<const double> y{r.y.data(), r.problem.y_shape(), dense_strides(Layout::NCHW, r.problem.y_shape())};
    for (std::int64_t o = 0; o < 2; ++o)
      for (std::int64_t row = 2; row <= 4; ++row)
        for (std::int64_t column = 2; column <= 4; ++column) CHECK(std::isnan(y(0, o, row, column)));
  });
  nan_at_3_3.holds();  // and no row loses one of the 18, or spreads further than its error model says
}

TEST_CASE("B02: only transforms may declare a spread, Winograd at most its tile, nobody beyond the image", "[cases]") {
  const ConvProblem problem({.n = 2, .ci = 2, .hi = 16, .wi = 16, .co = 2, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1});
  for (const Variant& variant : variants()) {
    const auto plan = variant.row->plan({problem, DType::f32, {}, variant.options});
    const ErrorModel& model = plan->error_model();
    INFO(variant.name());
    if (!transforms(*variant.row)) CHECK(model.spread == Spread::exact);
    if (variant.row->family == "winograd") {
      CHECK(model.spread != Spread::image);
      CHECK(model.tile_h * model.tile_w <= 16);  // F(4×4,3×3): 2×2 tiles of 4×4, the 64 outputs of rows and columns 0..7
    }
  }
}

TEST_CASE("B02: one NaN or Inf anywhere in the input or the filter", "[cases]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw{seed};
    const ConvSpec s = drawn_layer(draw);
    const double bad = draw.coin() ? kNaN : kInf;
    const Shape in_x{draw(0, s.n - 1), draw(0, s.ci - 1), draw(0, s.hi - 1), draw(0, s.wi - 1)};
    const Shape in_w{draw(0, s.co - 1), draw(0, s.ci - 1), draw(0, s.hf - 1), draw(0, s.wf - 1)};
    const bool hits_x = draw.coin();
    ConvCase()
        .layer(s)
        .x(hits_x ? all_but(1, in_x, bad) : all(1))
        .w(hits_x ? all(2) : all_but(2, in_w, bad))
        .layouts(uniform_layouts())
        .may_refuse("winograd", "filter")
        .half_as_promised()
        .holds();
  }
}

TEST_CASE("B04: half inputs whose Winograd transform passes 65504 still give 18000", "[cases]") {
  ConvCase().input(1, 1, 6, 6).filter(1, 3, 3).x(all(2000)).w(all(1)).in({DType::f16}).expect_shape(1, 1, 4, 4).expect_all(18000).holds();

  SECTION("and so does anything that fits f16 before and after: 9 taps of ±7264") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Filler x = [seed](auto n, auto c, auto h, auto w) { return 7264 * drawn(seed, 1)(n, c, h, w); };
      ConvCase().input(1, 1, 9, 10).filter(2, 3, 3).pad(1).x(x).w(drawn(seed + 1000, 1)).in({DType::f16}).half_as_promised().holds();
    }
  }
}

TEST_CASE("B05: padding is a real zero, so that a weight of Inf gives NaN at the border, for any channel count", "[cases]") {
  const auto border_is_nan = [](const Reference& r) {
    for (std::size_t k = 0; k < r.y.size(); ++k) {
      INFO("y_flat[" << k << "] = " << r.y[k]);
      if (k >= 16)
        CHECK(r.y[k] == 0);  // the other output channels
      else if (k < 4 || k % 4 == 0)
        CHECK(std::isnan(r.y[k]));
      else
        CHECK(r.y[k] == kInf);
    }
  };
  ConvCase().input(1, 1, 4, 4).filter(1, 3, 3).pad(1).x(all(1)).w(all_but(1, {0, 0, 0, 0}, kInf)).expect(border_is_nan).holds();
  ConvCase()
      .input(1, 8, 4, 4)
      .filter(16, 3, 3)
      .pad(1)
      .x([](auto, auto c, auto, auto) { return c == 0 ? 1.0 : 0.0; })
      .w([](auto o, auto c, auto u, auto v) { return o > 0 || c > 0 ? 0.0 : u == 0 && v == 0 ? kInf : 1.0; })
      .expect(border_is_nan)
      .holds();
}

TEST_CASE("B53: sums of half numbers are kept in f32: 4096 ones are 4096, not 2048", "[cases]") {
  const auto ones = [](std::int64_t channels) { return ConvCase().input(1, channels, 1, 1).filter(1, 1, 1).x(all(1)).w(all(1)).may_refuse("winograd", "filter"); };
  ones(4096).in({DType::f16, DType::bf16}).expect_all(4096).holds();

  SECTION("and any other number of them is rounded once") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Draw draw{seed};
      const std::int64_t channels = draw(2049, 9000);
      ones(channels).in({DType::f16, DType::bf16}).layouts(uniform_layouts()).expect_all(static_cast<double>(channels)).holds();
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
    ConvCase().input(1, 1, 2, 2).filter(1, 1, 1).x(all(value)).w(all(1)).in({dtype}).expect_all(value)
        .within(smallest_subnormal(dtype)).may_refuse("winograd", "filter").holds();
  };
  passes_through(0x1p-140, DType::f32);
  for (DType dtype : kDTypes) passes_through(5 * smallest_subnormal(dtype), dtype);
}

TEST_CASE("B62: an input of -0 gives something that equals 0", "[cases]") {
  ConvCase().input(1, 1, 2, 2).filter(1, 1, 1).x(all(-0.0)).w(all(1)).expect_all(0).within(1e-30).may_refuse("winograd", "filter").holds();
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
