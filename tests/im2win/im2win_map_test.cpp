// im2win and MEC: their tensors against an enumeration of all windows, their bytes, and their duality.
#include "algorithms/im2win/im2win_map.h"
#include "algorithms/im2col/im2col.h"
#include "algorithms/im2win/im2win.h"
#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

// Whether every window of the layer is found in Î where the papers put it: tap (u, v) of output (m, j) at column
// (j·s_w + v·d_w)·H_f + u of row (n, c, m), by nothing but the definition of the convolution.
bool im2win_holds_every_window(const ConvProblem& p) {
  const Im2winMap map(p);
  const std::int64_t width = (p.wo() - 1) * p.spec().stride_w + (p.wf() - 1) * p.spec().dilation_w + 1;
  for (std::int64_t m = 0; m < p.ho(); ++m)
    for (std::int64_t j = 0; j < p.wo(); ++j)
      for (std::int64_t u = 0; u < p.hf(); ++u)
        for (std::int64_t v = 0; v < p.wf(); ++v) {
          const std::int64_t flat = (j * p.spec().stride_w + v * p.spec().dilation_w) * p.hf() + u;
          const std::int64_t k = flat / p.hf();
          if (k >= width || flat % p.hf() != u) return false;
          const Gathered cell = map.gather({0, 0, m, k, u});
          const std::int64_t h = p.input_row(m, u), w = p.input_column(j, v);
          const bool inside = h >= 0 && h < p.hi() && w >= 0 && w < p.wi();
          if ((cell.kind == SourceKind::element) != inside) return false;
          if (inside && cell.at != Coord{0, 0, h, w}) return false;
          if (!inside && cell.kind != SourceKind::zero_padding) return false;
        }
  return true;
}

ConvSpec exchanged(ConvSpec s) {
  std::swap(s.hi, s.wi), std::swap(s.hf, s.wf);
  std::swap(s.stride_h, s.stride_w), std::swap(s.dilation_h, s.dilation_w);
  std::swap(s.pad_top, s.pad_left), std::swap(s.pad_bottom, s.pad_right);
  return s;
}

struct Bytes {
  std::int64_t direct, im2win, im2col;
};
Bytes bytes_of(const ConvProblem& p) {
  Stage matrix = im2col_stage(p, DType::f32);
  return {elements(p.x_shape()) * 4, im2win_stage(p, DType::f32, WindowOrder::NHWC).bytes(), matrix.bytes()};
}

}  // namespace

TEST_CASE("every window is in the im2win tensor where the formula says") {
  CHECK(im2win_holds_every_window(ConvProblem({.hi = 7, .wi = 9, .hf = 2, .wf = 4})));  // H_f ≠ W_f
  CHECK(im2win_holds_every_window(
      ConvProblem({.hi = 7, .wi = 9, .hf = 3, .wf = 2, .pad_top = 2, .pad_left = 1, .pad_right = 3})));
  CHECK(im2win_holds_every_window(ConvProblem({.hi = 9, .wi = 9, .hf = 3, .wf = 2, .dilation_h = 2, .dilation_w = 3})));
  CHECK(im2win_holds_every_window(
      ConvProblem({.hi = 9, .wi = 11, .hf = 3, .wf = 2, .stride_h = 2, .stride_w = 4})));  // s > W_f
  for (std::uint64_t index = 0; index < 2000; ++index) {
    INFO("layer " << index);
    REQUIRE(im2win_holds_every_window(random_problem(21, index)));
  }
}

TEST_CASE("im2win saves N·C_i·H_o·H_f·(W_o·W_f − W̃) elements over im2col, none at s = W_f") {
  for (std::uint64_t index = 0; index < 500; ++index) {
    const ConvProblem p = random_problem(22, index);
    const auto [direct, im2win, im2col] = bytes_of(p);
    const std::int64_t width = WindowAxis::columns(p).span();
    REQUIRE(im2col - im2win == 4 * p.n() * p.ci() * p.ho() * p.hf() * (p.wo() * p.wf() - width));
  }
  const Bytes equal = bytes_of(ConvProblem({.hi = 9, .wi = 9, .hf = 2, .wf = 3, .stride_w = 3}));
  CHECK(equal.im2win == equal.im2col);
  const Bytes larger = bytes_of(ConvProblem({.hi = 9, .wi = 10, .hf = 2, .wf = 3, .stride_w = 7}));
  CHECK(larger.im2win > larger.im2col);
}

TEST_CASE("square layers without padding: direct, im2win and im2col store as 1 : ρ : ρ²") {
  struct Layer {
    std::int64_t ci, side, filter, stride;
    double rho;
  };
  const std::vector<Layer> layers{{3, 227, 11, 4, 2.67}, {3, 231, 11, 4, 2.67}, {3, 227, 7, 2, 3.42},
                                  {64, 224, 7, 2, 3.41}, {96, 24, 5, 1, 4.17},  {256, 12, 3, 1, 2.50},
                                  {3, 224, 3, 1, 2.97},  {64, 112, 3, 1, 2.95}, {64, 56, 3, 1, 2.89},
                                  {128, 28, 3, 1, 2.79}, {256, 14, 3, 1, 2.57}, {512, 7, 3, 1, 2.14}};
  for (const auto& [ci, side, filter, stride, rho] : layers) {
    const ConvProblem p({.n = 1,
                         .ci = ci,
                         .hi = side,
                         .wi = side,
                         .co = 64,
                         .hf = filter,
                         .wf = filter,
                         .stride_h = stride,
                         .stride_w = stride});
    const auto [direct, im2win, im2col] = bytes_of(p);
    const double exact = static_cast<double>(p.ho() * filter) / static_cast<double>(side);
    INFO(side << "×" << side << " filter " << filter);
    CHECK(std::abs(exact - rho) < 0.006);
    CHECK(im2col * side * side == direct * p.ho() * filter * p.ho() * filter);  // exactly ρ²
    // ρ exactly, when windows reach the last column; otherwise the columns that none reaches are left out.
    CHECK(im2win * side * side == direct * p.ho() * filter * WindowAxis::columns(p).span());
    if (WindowAxis::columns(p).span() == side) CHECK(im2win * im2win == direct * im2col);
  }
}

TEST_CASE("MEC is im2win with H and W exchanged: the same bytes, and the same bits") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    const ConvProblem p = random_problem(23, index), q(exchanged(p.spec()));
    const Filler x = Trial::uniform(1), w = Trial::uniform(2);
    const auto across = [](const Filler& f) { return [f](auto n, auto c, auto h, auto v) { return f(n, c, v, h); }; };
    const Trial of_p(p, DType::f32, x, w, 9), of_q(q, DType::f32, across(x), across(w), 9);
    for (const char* window : {"window=NHWC", "window=NCHW"}) {
      INFO("layer " << index << " " << window);
      const OptionSet options = OptionSet::parse(window, im2win_ref().options);
      const auto im2win = im2win_ref().plan({p, DType::f32, {}, options}),
                 mec = mec_ref().plan({q, DType::f32, {}, options});
      REQUIRE(im2win->workspace_bytes() == mec->workspace_bytes());
      const std::vector<double> y = run(*im2win, of_p), z = run(*mec, of_q);
      for (std::int64_t image = 0; image < p.n() * p.co(); ++image)
        for (std::int64_t row = 0; row < p.ho(); ++row)
          for (std::int64_t column = 0; column < p.wo(); ++column)
            REQUIRE(y[static_cast<std::size_t>((image * p.ho() + row) * p.wo() + column)] ==
                    z[static_cast<std::size_t>((image * p.wo() + column) * p.ho() + row)]);
    }
  }
}

TEST_CASE("an im2win window without dilation is contiguous in NHWC order") {
  const ConvProblem p({.n = 2, .ci = 5, .hi = 7, .wi = 9, .co = 3, .hf = 3, .wf = 2, .stride_w = 2});
  const Stage stage = im2win_stage(p, DType::f32, WindowOrder::NHWC);
  std::int64_t expected = stage.offset({1, 0, 2, 4, 0});
  for (std::int64_t v = 0; v < p.wf(); ++v)
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t c = 0; c < p.ci(); ++c) CHECK(stage.offset({1, c, 2, 4 + v, u}) == expected++);
}

TEST_CASE("im2win's stage says what it stores") {
  const ConvProblem p({.n = 4, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3});
  const Stage stage = im2win_stage(p, DType::f32, WindowOrder::NHWC);
  CHECK(stage.formula() == "N·C_i·H_o·W̃·H_f × 4 B");
  CHECK(stage.numbers() == "4·64·54·56·3 × 4 B");
  CHECK(stage.bytes() == 4 * 64 * 54 * 56 * 3 * 4);
  CHECK(mec_stage(p, DType::f32, WindowOrder::NHWC).formula() == "N·C_i·W_o·H̃·W_f × 4 B");
}

TEST_CASE("an im2win tensor that overflows 64 bits is refused in words") {
  const ConvProblem p({.n = 1,
                       .ci = 1,
                       .hi = std::int64_t{1} << 28,
                       .wi = std::int64_t{1} << 28,
                       .co = 1,
                       .hf = 1 << 10,
                       .wf = 1,
                       .stride_w = 1 << 27});
  const Support support = im2win_ref().supports({p});
  CHECK_FALSE(support);
  CHECK_THAT(support.reason,
             Catch::Matchers::Contains("stage im2win") && Catch::Matchers::Contains("overflows 64 bits"));
}
