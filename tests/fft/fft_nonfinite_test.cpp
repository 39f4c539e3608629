// A NaN or Inf reaches every output that depends on it, and none outside its image or its tile.
#include "tests/fft/fft_support.h"

using namespace fft_test;

namespace {

// Which outputs must be lost (they read the element) and which may be (the spread that the plan declares).
struct Reach {
  std::vector<bool> must, may;
};

Reach reach(const Plan& plan, const Coord& bad) {
  const ConvProblem& p = plan.problem();
  const ErrorModel& model = plan.error_model();
  const bool tiled = model.spread == Spread::tile;
  const std::int64_t tile_h = tiled ? model.tile_h : p.ho(), tile_w = tiled ? model.tile_w : p.wo();
  const auto size = static_cast<std::size_t>(elements(p.y_shape()));
  Reach r{std::vector<bool>(size), std::vector<bool>(size)};
  const auto reads = [&](std::int64_t n, std::int64_t o, std::int64_t row, std::int64_t column) {
    if (n != bad[0] || p.group_of_output(o) != p.group_of_input(bad[1])) return false;
    for (std::int64_t u = 0; u < p.hf(); ++u)
      for (std::int64_t v = 0; v < p.wf(); ++v)
        if (p.input_row(row, u) == bad[2] && p.input_column(column, v) == bad[3]) return true;
    return false;
  };
  const auto index = [&](std::int64_t n, std::int64_t o, std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(((n * p.co() + o) * p.ho() + row) * p.wo() + column);
  };
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t row = 0; row < p.ho(); ++row)
        for (std::int64_t column = 0; column < p.wo(); ++column) {
          if (!reads(n, o, row, column)) continue;
          r.must[index(n, o, row, column)] = true;
          const std::int64_t top = row / tile_h * tile_h, left = column / tile_w * tile_w;
          for (std::int64_t i = top; i < std::min(top + tile_h, p.ho()); ++i)
            for (std::int64_t j = left; j < std::min(left + tile_w, p.wo()); ++j) r.may[index(n, o, i, j)] = true;
        }
  return r;
}

}  // namespace

TEST_CASE("fft.ref never loses a NaN or Inf, and keeps it in its image, group and tile") {
  if (!can_run()) return;
  Dice dice{GENERATE(51u, 52u)};
  const double bad_values[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 400; ++k) {
    const ConvProblem p = random_problem(dice);
    const std::string options = dice.pick(option_texts());
    const Request request = request_of(p, dice.pick(kDTypes), options);
    if (!fft_ref().supports(request)) continue;
    const auto plan = fft_ref().plan(request);
    Tensors t(request);
    t.fill_uniform(static_cast<std::uint64_t>(k));
    if (dice(0, 2) == 0) fill(t.w.view(), [](auto...) { return 1; });
    if (dice(0, 2) == 0) fill(t.x.view(), [](auto...) { return 0; });
    const Coord bad{dice(0, p.n() - 1), dice(0, p.ci() - 1), dice(0, p.hi() - 1), dice(0, p.wi() - 1)};
    const double value = dice.pick(bad_values);
    visit(request.dtype, [&]<class T>() {
      t.x.as<T>()(bad[0], bad[1], bad[2], bad[3]) = static_cast<T>(static_cast<Accumulator<T>>(value));
    });
    run_poisoned(*plan, t);

    const Reach expected = reach(*plan, bad);
    const std::vector<double> y = values(t.y);
    CAPTURE(k, options, value);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (expected.must[i]) REQUIRE_FALSE(std::isfinite(y[i]));
      if (!expected.may[i]) REQUIRE(std::isfinite(y[i]));
    }
  }
}

TEST_CASE("fft.ref: a NaN or Inf in the filter spoils its output channel and no other") {
  if (!can_run()) return;
  const double value = GENERATE(double(NAN), double(INFINITY));
  const std::string options = GENERATE("", "transform=tiled,tile=8");
  const ConvProblem problem({.n = 2, .ci = 2, .hi = 9, .wi = 7, .co = 3, .hf = 3, .wf = 2});
  const Request request = request_of(problem, DType::f32, options);
  Tensors t(request);
  t.fill_uniform(1);
  t.w.as<float>()(1, 0, 2, 1) = static_cast<float>(value);
  run_poisoned(request, t);
  for (std::int64_t n = 0; n < 2; ++n)
    for (std::int64_t o = 0; o < 3; ++o) CHECK(std::isfinite(element(t.y.view(), n, o, 4, 3)) == (o != 1));
}

TEST_CASE("fft.ref: one NaN in the first of two images leaves the second whole") {
  if (!can_run()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC);
  ConvSpec spec{.n = 2, .ci = 2, .hi = 16, .wi = 16, .co = 2, .hf = 3, .wf = 3};
  spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = 1;
  Request request = request_of(ConvProblem(spec));
  request.layouts.x = request.layouts.y = layout;
  Tensors t(request);
  fill(t.x.view(), [](auto n, auto c, auto h, auto w) { return n == 0 && c == 0 && h == 3 && w == 3 ? NAN : 1.0; });
  fill(t.w.view(), [](auto...) { return 1; });
  run_poisoned(request, t);
  const std::vector<double> y = values(t.y);
  double sum = 0;
  for (std::size_t k = 512; k < y.size(); ++k) sum += std::nearbyint(y[k]);
  CHECK(sum == 8464);
  for (std::int64_t o = 0; o < 2; ++o)
    for (std::int64_t row = 2; row <= 4; ++row)
      for (std::int64_t column = 2; column <= 4; ++column) CHECK(std::isnan(element(t.y.view(), 0, o, row, column)));
}
