// Cases about NaN and Inf: they reach what depends on them, and nothing else.
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
  return [=](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return Shape{a, b, c, d} == at ? there : usual;
  };
}

std::int64_t count_nan(std::span<const double> y) {
  return std::ranges::count_if(y, [](double v) { return std::isnan(v); });
}

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
  const ConvProblem problem({.n = 2,
                             .ci = 2,
                             .hi = 16,
                             .wi = 16,
                             .co = 2,
                             .hf = 3,
                             .wf = 3,
                             .pad_top = 1,
                             .pad_bottom = 1,
                             .pad_left = 1,
                             .pad_right = 1});
  for (const Variant& variant : variants()) {
    const auto plan = variant.row->plan({problem, DType::f32, {}, variant.options});
    const ErrorModel& model = plan->error_model();
    INFO(variant.name());
    if (!transforms(*variant.row)) CHECK(model.spread == Spread::exact);
    if (variant.row->family == "winograd") {
      CHECK(model.spread != Spread::image);
      CHECK(model.tile_h * model.tile_w <=
            16);  // F(4×4,3×3): 2×2 tiles of 4×4, the 64 outputs of rows and columns 0..7
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
        .of_a_series(seed)
        .layouts(uniform_layouts())
        .may_refuse("winograd", "filter")
        .half_as_promised()
        .holds();
  }
}

TEST_CASE("B05: padding is a real zero, so that a weight of Inf gives NaN at the border, for any channel count",
          "[cases]") {
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
  ConvCase()
      .input(1, 1, 4, 4)
      .filter(1, 3, 3)
      .pad(1)
      .x(all(1))
      .w(all_but(1, {0, 0, 0, 0}, kInf))
      .expect(border_is_nan)
      .holds();
  ConvCase()
      .input(1, 8, 4, 4)
      .filter(16, 3, 3)
      .pad(1)
      .x([](auto, auto c, auto, auto) { return c == 0 ? 1.0 : 0.0; })
      .w([](auto o, auto c, auto u, auto v) { return o > 0 || c > 0     ? 0.0
                                                     : u == 0 && v == 0 ? kInf
                                                                        : 1.0; })
      .expect(border_is_nan)
      .holds();
}
