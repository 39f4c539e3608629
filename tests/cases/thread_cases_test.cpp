// Cases about threads: a plan is immutable, so that any number of callers may run it at once.
#include <thread>

#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"
#include "tests/support/plan_run.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

Reference reference_of(const ConvSpec& spec, const Filler& x, const Filler& w, DType dtype = DType::f32) {
  const ConvProblem problem(spec);
  return {problem, dtype, rounded_values(dtype, problem.x_shape(), x), rounded_values(dtype, problem.w_shape(), w), {}};
}

// Calls `plan` so many times on memory of this thread's own, and counts the results that are wrong.
int wrong_results(const Plan& plan, const Reference& reference, double tolerance, int calls) {
  const Judge judge(plan, reference, tolerance);
  const Arrangements at = Arrangements::of(plan.request());
  const RunInputs inputs(reference, at.x, at.w);
  const GuardedWorkspace workspace(plan.workspace_bytes());
  GuardedTensor y(reference.dtype, reference.problem.y_shape(), at.y);
  int wrong = 0;
  for (int call = 0; call < calls; ++call) {
    y.poison();
    run_from_host(plan, {inputs.x(), inputs.w(), {}, y.view()}, workspace.span());
    wrong += !judge.complaint(y.read()).empty();
  }
  return wrong;
}

struct Caller {
  const Plan& plan;
  const Reference& reference;
};

// How many results were wrong when all callers run at once.
int wrong_at_once(const std::vector<Caller>& callers, double tolerance, int calls) {
  std::vector<int> wrong(callers.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < callers.size(); ++k)
    threads.emplace_back([&, k] { wrong[k] = wrong_results(callers[k].plan, callers[k].reference, tolerance, calls); });
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (int count : wrong) sum += count;
  return sum;
}

}  // namespace

TEST_CASE("B28: two threads run one plan with filters of their own, 1000 calls each, and neither sees the other's",
          "[cases]") {
  const ConvSpec layer{.hi = 32, .wi = 32, .hf = 3, .wf = 3};
  const Reference a = reference_of(layer, all(1), all(1)), b = reference_of(layer, all(1), all(2));
  CHECK(a.y == std::vector<double>(900, 9));
  CHECK(b.y == std::vector<double>(900, 18));
  for (const Variant& variant : variants()) {
    INFO(variant.name());
    const auto plan = variant.row->plan({a.problem, DType::f32, {}, variant.options, Place{}, 1});
    const int calls = variant.row->unit == Unit::cpu ? 1000 : 50;  // each with its copies to the device and back
    CHECK(wrong_at_once({{*plan, a}, {*plan, b}}, 1e-4, calls) == 0);
  }
}

TEST_CASE("B28: so do callers of a plan that uses two threads itself", "[cases]") {
  const ConvSpec layer{.ci = 2, .hi = 9, .wi = 9, .co = 3, .hf = 3, .wf = 3};
  const Reference a = reference_of(layer, XH, WH), b = reference_of(layer, drawn(7, 5), drawn(8, 3));
  for (const Variant& variant : variants()) {
    INFO(variant.name());
    const auto plan = variant.row->plan({a.problem, DType::f32, {}, variant.options, Place{}, 2});
    CHECK(wrong_at_once({{*plan, a}, {*plan, b}}, 1e-3, 10) == 0);
  }
}

TEST_CASE("B28: and threads that run different layers, types and layouts of one row", "[cases]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Draw draw{seed};
    const auto layer = [&] {
      ConvSpec spec = drawn_layer(draw);
      spec.hf = spec.wf = 3, spec.hi += 3, spec.wi += 3;
      return spec;
    };
    const DType type = draw.coin() ? DType::bf16 : DType::f64;
    const ConvSpec second = layer();
    const Reference a = reference_of(layer(), drawn(seed, 5), drawn(seed + 1, 3)),
                    b = reference_of(second, drawn(seed + 2, 5), drawn(seed + 3, 3), type),
                    b_in_f32 = reference_of(second, drawn(seed + 2, 5), drawn(seed + 3, 3));
    std::size_t turn = seed;
    for (const Variant& variant : variants()) {
      INFO(variant.name() << ", seed " << seed);
      if (variant.row->unit != Unit::cpu && ++turn % 6 != 0) continue;  // each is two kernels to be compiled
      Request request{b.problem, type, uniform_layouts()[1], variant.options, Place{}, 1};
      const bool computes_type = variant.row->supports(request).ok;  // a fast row may be made for f32 alone
      if (!computes_type) request.dtype = DType::f32;
      const auto of_a = variant.row->plan({a.problem, DType::f32, {}, variant.options, Place{}, 1});
      const auto of_b = variant.row->plan(request);
      CHECK(wrong_at_once({{*of_a, a}, {*of_b, computes_type ? b : b_in_f32}, {*of_a, a}}, 0, 30) == 0);
    }
  }
}
