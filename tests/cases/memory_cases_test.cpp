// Cases about memory: outputs and workspaces that hold garbage, results that outlive a plan.
#include <cstring>

#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"
#include "tests/support/plan_run.h"

using namespace convlens;
using namespace convlens::testing;

TEST_CASE(
    "B31: garbage in the output and the workspace does not reach the result, and a second call does not add "
    "to it",
    "[cases]") {
  ConvCase()
      .input(2, 3, 6, 7)
      .filter(5, 3, 3)
      .stride(2)
      .pad(1)
      .x(XH)
      .w(WH)
      .expect_shape(2, 5, 3, 4)
      .expect_sums(-39, -1505)
      .expect_at(0, 10)
      .expect_at(119, 13)
      .may_refuse("winograd", "stride")
      .holds();
  ConvCase().input(2, 3, 6, 7).filter(5, 3, 3).pad(1).x(XH).w(WH).holds();  // the same for rows that need
                                                                            // stride 1
}

TEST_CASE("B31: nor for ragged tiles, batches and channels, with a bias", "[cases]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Draw draw{seed};
    ConvSpec spec = drawn_layer(draw);
    spec.n = draw(1, 11);
    drawn_case(spec, seed)
        .bias([seed](std::int64_t o) { return drawn(seed, 9)(o, 1, 2, 3); })
        .in({DType::f32, DType::bf16})
        .may_refuse("winograd", "filter")
        .holds();
  }
}

TEST_CASE("B31: nor for any two options changed at once, with more images and pixels than a pass or a tile holds",
          "[cases]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Draw draw{seed};
    ConvSpec spec = drawn_layer(draw);
    spec.n = draw(5, 9), spec.hf = spec.wf = 3, spec.hi = draw(3, 40), spec.wi = draw(3, 40);
    drawn_case(spec, seed).in({DType::f32, DType::f16}).by_option_pairs().holds();
  }
}

TEST_CASE(
    "B52: a result outlives its plan, its inputs and the workspace, and a second convolution does not change "
    "it",
    "[cases]") {
  const ConvProblem problem({.hi = 5, .wi = 2, .hf = 2, .wf = 1});
  const auto compute = [&](const Variant& variant, double scale) {
    Tensor x(DType::f32, Layout::NCHW, problem.x_shape()), w(DType::f32, FilterLayout::OIHW, problem.w_shape()),
        y(DType::f32, Layout::NCHW, problem.y_shape());
    fill(x.view(), [&](auto, auto, auto h, auto column) { return scale * static_cast<double>(2 * h + column); });
    fill(w.view(), [](auto, auto, auto u, auto) { return static_cast<double>(u + 1); });
    const auto plan = variant.row->plan({problem, DType::f32, {}, variant.options});
    const HostBuffer workspace(plan->workspace_bytes());
    run_from_host(*plan, {x.view(), w.view(), {}, y.view()},
                  {workspace.data(), static_cast<std::size_t>(workspace.bytes())});
    return y;
  };
  for (const Variant& variant : variants()) {
    if (!variant.row->supports({problem, DType::f32, {}, variant.options})) {
      CHECK(variant.row->family == "winograd");
      continue;
    }
    const Tensor first = compute(variant, 1);
    std::vector<HostBuffer> others;
    for (int k = 0; k < 100; ++k) {
      others.emplace_back(first.bytes());
      std::memset(others.back().data(), 0xff, static_cast<std::size_t>(first.bytes()));
    }
    const Tensor second = compute(variant, 100);
    INFO(variant.name());
    for (std::int64_t row = 0; row < problem.ho(); ++row)
      for (std::int64_t column = 0; column < 2; ++column) {
        const double right = static_cast<double>(4 + 3 * (2 * row + column));  // 4, 7, 10, … 25
        CHECK(element(first.view(), 0, 0, row, column) == Approx(right).margin(1e-4));
        CHECK(element(second.view(), 0, 0, row, column) == Approx(100 * right).margin(1e-2));
      }
  }
}
