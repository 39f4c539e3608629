// CrossCheck accepts what a row computes and refuses what it does not.
#include <limits>

#include "algorithms/check/cross_check.h"
#include "algorithms/interface/registry.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"
#include "tests/support/plan_run.h"
#include "tests/support/rows.h"

using namespace convlens;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Bench {
  ConvProblem problem{{.n = 2, .ci = 2, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3, .pad_top = 1, .pad_right = 1}};
  Tensor x, w;

  explicit Bench(DType dtype = DType::f32)
      : x(dtype, Layout::NHWC, problem.x_shape()), w(dtype, FilterLayout::OIHW, problem.w_shape()) {
    fill(x.view(), [](auto n, auto c, auto h, auto k) {
      return random_uniform(5, static_cast<std::uint64_t>(((n * 2 + c) * 7 + h) * 9 + k));
    });
    fill(w.view(), [](auto o, auto c, auto u, auto v) {
      return random_uniform(6, static_cast<std::uint64_t>(((o * 2 + c) * 3 + u) * 3 + v));
    });
  }
  std::shared_ptr<const Plan> plan(const Algorithm& row) const {
    return row.plan({.problem = problem, .dtype = x.dtype(), .layouts = {.x = Layout::NHWC}});
  }
  Tensor computed(const Plan& plan) const {
    Tensor y(x.dtype(), Layout::NCHW, problem.y_shape());
    const HostBuffer memory(plan.workspace_bytes());
    testing::run_from_host(plan, {x.view(), w.view(), {}, y.view()},
                           {memory.data(), static_cast<std::size_t>(memory.bytes())});
    return y;
  }
};

Verdict judged(const Bench& bench, const Algorithm& row, const std::function<void(Tensor&)>& spoil = nullptr) {
  const auto plan = bench.plan(row);
  Tensor y = bench.computed(*plan);
  if (spoil) spoil(y);
  return CrossCheck(bench.problem, bench.x, bench.w).judge(*plan, y);
}

}  // namespace

TEST_CASE("CrossCheck accepts every row, in every element type") {
  for (DType dtype : kDTypes)
    for (const Algorithm* row : testing::rows_here()) {
      const Bench bench(dtype);
      if (!row->supports(bench.plan(*algorithms().front())->request())) continue;
      INFO(row->id);
      const Verdict verdict = judged(bench, *row);
      INFO(verdict.line());
      CHECK(verdict.kept);
      CHECK(verdict.ratio <= 1);
    }
}

TEST_CASE("CrossCheck refuses one output that is off by little, lost, or infinite, and names it") {
  const Algorithm& row = *algorithms().front();
  const auto off = [&](double error) {
    return judged(Bench(), row, [&](Tensor& y) { y.as<float>()(1, 1, 3, 4) += static_cast<float>(error); });
  };
  CHECK(off(0).kept);
  for (double error : {1e-3, -1e-4, kNaN, HUGE_VAL}) {
    const Verdict verdict = off(error);
    CHECK_FALSE(verdict.kept);
    CHECK(verdict.at == Shape{1, 1, 3, 4});
  }
}

TEST_CASE("CrossCheck wants a NaN of the input where it belongs, not lost, and not in another image") {
  Bench bench;
  bench.x.as<float>()(0, 1, 3, 3) = std::numeric_limits<float>::quiet_NaN();
  for (const Algorithm* row : testing::rows_here()) {
    if (row->vendor || !row->supports(bench.plan(*algorithms().front())->request())) continue;
    INFO(row->id);
    CHECK(judged(bench, *row).kept);
    CHECK_FALSE(judged(bench, *row, [](Tensor& y) { y.as<float>()(0, 0, 3, 3) = 1; }).kept);
    CHECK_FALSE(judged(bench, *row, [](Tensor& y) {
                  y.as<float>()(1, 0, 3, 3) = std::numeric_limits<float>::quiet_NaN();
                }).kept);
  }
}

TEST_CASE("CrossCheck takes an infinity where the type overflows") {
  Bench bench(DType::f16);
  fill(bench.x.view(), [](auto...) { return 60000; });
  fill(bench.w.view(), [](auto...) { return 2; });
  CHECK(judged(bench, *algorithms().front()).kept);
}
