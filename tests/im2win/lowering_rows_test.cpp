// The rows that lower the input (im2col, implicit GEMM, im2win, MEC), on random layers and on known hard ones.
#include <cmath>
#include <limits>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

const std::vector<std::string> kRuns{"im2win.ref",
                                     "im2win.ref:window=NCHW",
                                     "mec.ref",
                                     "mec.ref:window=NCHW",
                                     "implicit_gemm.ref",
                                     "im2col.ref",
                                     "im2col.ref:batching=tile,gemm=loops"};

std::shared_ptr<const Plan> plan_of(const std::string& name, const ConvProblem& problem, DType dtype,
                                    Layout layout = Layout::NCHW, int threads = 1) {
  const Run run = parse_run(name);
  const FilterLayout filter = layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW;
  return run.algorithm->plan({problem, dtype, {layout, filter, layout}, run.options, {}, threads});
}

double xh(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<double>((31 * n + 17 * c + 7 * h + 3 * w + h * w) % 11 - 5);
}
double wh(std::int64_t o, std::int64_t c, std::int64_t r, std::int64_t s) {
  return static_cast<double>((13 * o + 5 * c + 3 * r + 2 * s + r * s) % 7 - 3);
}
double one(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }

// Σ y[k] and Σ y[k]·((k mod 97) + 1).
std::pair<double, double> sums(const std::vector<double>& y) {
  double s1 = 0, s2 = 0;
  for (std::size_t k = 0; k < y.size(); ++k) s1 += y[k], s2 += y[k] * static_cast<double>(k % 97 + 1);
  return {s1, s2};
}

// Calls check(y) with what every run computes for the layer in every type and layout.
template <class Check>
void for_every_run(const ConvSpec& spec, const Filler& x, const Filler& w, Check&& check) {
  const ConvProblem problem(spec);
  for (DType dtype : kDTypes) {
    const Trial trial(problem, dtype, x, w, 5);
    for (const std::string& name : kRuns)
      for (Layout layout : kLayouts) {
        INFO(name << " " << convlens::name(dtype) << " " << convlens::name(layout));
        check(run(*plan_of(name, problem, dtype, layout), trial));
      }
  }
}

void values_are(const ConvSpec& spec, const Filler& x, const Filler& w, const std::vector<double>& expected) {
  for_every_run(spec, x, w, [&](const std::vector<double>& y) { CHECK(y == expected); });
}
void sums_are(const ConvSpec& spec, const Filler& x, const Filler& w, double s1, double s2) {
  for_every_run(spec, x, w, [&](const std::vector<double>& y) { CHECK(sums(y) == std::pair(s1, s2)); });
}

}  // namespace

TEST_CASE("lowerings keep their promise on random layers, whatever the views, the type and the threads") {
  for (std::uint64_t index = 0; index < 120; ++index) {
    const ConvProblem problem = random_problem(3, index);
    const DType dtype = kDTypes[index % kDTypes.size()];
    const Layout layout = kLayouts[index % kLayouts.size()];
    const Trial trial(problem, dtype, 1000 + index);
    for (const std::string& name : kRuns) {
      INFO(name << " " << convlens::name(dtype) << " " << convlens::name(layout) << ", layer " << index);
      const auto plan = plan_of(name, problem, dtype, layout);
      const std::vector<double> y = run(*plan, trial);
      REQUIRE(beyond_promise(*plan, trial, y) == "");
      REQUIRE(same(y, run(*plan, trial)));
      REQUIRE(beyond_promise(*plan, trial, run(*plan, trial, index + 1)) == "");
      if (name == "im2col.ref") continue;  // BLAS may add in another order with other threads
      REQUIRE(same(y, run(*plan_of(name, problem, dtype, layout, 3), trial)));
    }
  }
}

TEST_CASE("a NaN stays where it is used") {
  const auto x = [](auto n, auto c, auto h, auto w) {
    return n == 0 && c == 0 && h == 3 && w == 3 ? std::nan("") : 1.0;
  };
  for_every_run(padded(1, {.n = 2, .ci = 2, .hi = 16, .wi = 16, .co = 2, .hf = 3, .wf = 3}), x, one,
                [](const std::vector<double>& y) {
                  double sum = 0;
                  int lost = 0;
                  for (std::size_t k = 0; k < y.size(); ++k) {
                    const std::size_t row = k / 16 % 16, column = k % 16;
                    const bool hit = k < 512 && row >= 2 && row <= 4 && column >= 2 && column <= 4;
                    REQUIRE(std::isnan(y[k]) == hit);
                    lost += hit;
                    if (!hit) sum += y[k];
                  }
                  CHECK(lost == 18);
                  CHECK(sum == 16604);
                });
}

TEST_CASE("padding is a zero that is multiplied: zero times infinity is NaN") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::int64_t extra : {0, 7}) {
    const ConvSpec spec =
        padded(1, {.n = 1, .ci = 1 + extra, .hi = 4, .wi = 4, .co = 1 + 15 * (extra > 0), .hf = 3, .wf = 3});
    const auto x = [](auto, auto c, auto, auto) { return c == 0 ? 1.0 : 0.0; };
    const auto w = [&](auto o, auto c, auto r, auto s) {
      return o + c + r + s == 0 ? infinity : o == 0 && c == 0 ? 1.0 : 0.0;
    };
    for_every_run(spec, x, w, [&](const std::vector<double>& y) {
      for (std::size_t k = 0; k < 16; ++k)
        if (k / 4 == 0 || k % 4 == 0)
          CHECK(std::isnan(y[k]));
        else
          CHECK(y[k] == infinity);
    });
  }
}

TEST_CASE("views with negative and exchanged strides") {
  const ConvProblem problem({.n = 1, .ci = 1, .hi = 4, .wi = 4, .co = 1, .hf = 1, .wf = 2});
  Tensor a(DType::f32, Layout::NCHW, {1, 1, 4, 4}), w(DType::f32, FilterLayout::OIHW, {1, 1, 1, 2}),
      y(DType::f32, Layout::NCHW, {1, 1, 4, 3});
  fill(a.view(), [](auto, auto, auto r, auto c) { return static_cast<double>(4 * r + c); });
  fill(w.view(), [](auto, auto, auto, auto s) { return s == 0 ? 1.0 : -2.0; });
  float* const start = static_cast<float*>(a.view().data);
  const ConstTensorView reversed{start + 3, DType::f32, {1, 1, 4, 4}, {16, 16, 4, -1}},
      transposed{start, DType::f32, {1, 1, 4, 4}, {16, 16, 1, 4}};
  const auto expect = [&](const ConstTensorView& x, const std::vector<float>& expected) {
    for (const std::string& name : kRuns) {
      INFO(name);
      const auto plan = plan_of(name, problem, DType::f32);
      const HostBuffer memory(plan->workspace_bytes());
      plan->run({x, std::as_const(w).view(), {}, y.view()},
                std::span<std::byte>(memory.data(), static_cast<std::size_t>(memory.bytes())));
      const float* values = static_cast<const float*>(y.view().data);
      CHECK(std::vector<float>(values, values + 12) == expected);
    }
  };
  expect(reversed, {-1, 0, 1, -5, -4, -3, -9, -8, -7, -13, -12, -11});
  expect(transposed, {-8, -12, -16, -9, -13, -17, -10, -14, -18, -11, -15, -19});
}

TEST_CASE("strided, padded, on memory full of NaN") {
  sums_are(padded(1, {.n = 2, .ci = 3, .hi = 6, .wi = 7, .co = 5, .hf = 3, .wf = 3, .stride_h = 2, .stride_w = 2}), xh,
           wh, -39, -1505);
}

TEST_CASE("a 1×1 filter with stride and with padding wider than itself") {
  values_are(padded(1, {.n = 1, .ci = 2, .hi = 3, .wi = 3, .co = 2, .hf = 1, .wf = 1, .stride_h = 2, .stride_w = 2}),
             xh, wh, {0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, -14, 0, 0, 0, 0});
}

TEST_CASE("a stride beyond the filter, with input rows that no window reaches") {
  values_are({.n = 1, .ci = 2, .hi = 10, .wi = 7, .co = 2, .hf = 2, .wf = 1, .stride_h = 4, .stride_w = 3}, xh, wh,
             {23, -10, -10, -17, -20, 21, 20, 14, 8, -7, 14, 2, -7, -19, 13, -7, -8, -20});
}

TEST_CASE("depthwise with two outputs a channel") {
  sums_are(padded(1, {.n = 1, .ci = 2, .hi = 5, .wi = 6, .co = 4, .hf = 3, .wf = 3, .groups = 2}), xh, wh, 30, 2784);
}

TEST_CASE("a 1×7 filter, and an output one column wide") {
  sums_are({.n = 1, .ci = 2, .hi = 5, .wi = 9, .co = 2, .hf = 1, .wf = 7, .pad_left = 3, .pad_right = 3}, xh, wh, 37,
           849);
  values_are({.n = 2, .ci = 3, .hi = 6, .wi = 3, .co = 2, .hf = 3, .wf = 3}, xh, wh,
             {25, 8, -31, -4, 52, 25, -35, -18, 5, -45, 37, -46, 38, -33, -38, 12});
}

TEST_CASE("a dilated filter wider than the image") {
  values_are(
      padded(2, {.n = 1, .ci = 1, .hi = 5, .wi = 5, .co = 1, .hf = 3, .wf = 3, .dilation_h = 4, .dilation_w = 4}),
      [](auto, auto, auto h, auto w) { return static_cast<double>(5 * h + w); },
      [](auto, auto, auto r, auto s) { return static_cast<double>(3 * r + s + 1); }, {60});
}

TEST_CASE("an even filter with padding on one side only") {
  const auto x = [](auto, auto, auto h, auto w) { return static_cast<double>(4 * h + w); };
  const auto w = [](auto, auto, auto r, auto s) { return static_cast<double>(2 * r + s + 1); };
  values_are({.n = 1, .ci = 1, .hi = 3, .wi = 4, .co = 1, .hf = 2, .wf = 2, .pad_bottom = 1, .pad_right = 1}, x, w,
             {34, 44, 54, 24, 74, 84, 94, 40, 26, 29, 32, 11});
  values_are({.n = 1, .ci = 1, .hi = 3, .wi = 4, .co = 1, .hf = 2, .wf = 2, .pad_top = 1, .pad_left = 1}, x, w,
             {0, 4, 11, 18, 16, 34, 44, 54, 40, 74, 84, 94});
}
