// The main kernel alone, as `bench --timed kernel` measures it: the same numbers as the call that packed for it.
#include <cmath>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"
#include "tests/catch.h"
#include "tests/support/draw.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// y by the call, and again, on y full of NaN, by the kernel on what the call has left.
struct Both {
  Tensor call, kernel;
};

Both computed(const Plan& plan) {
  const Request& r = plan.request();
  const ConvProblem& p = plan.problem();
  Tensor x(r.dtype, r.layouts.x, p.x_shape()), w(r.dtype, r.layouts.w, p.w_shape());
  Both y{Tensor(r.dtype, r.layouts.y, p.y_shape()), Tensor(r.dtype, r.layouts.y, p.y_shape())};
  std::uint64_t counter = 0;
  const auto random = [&counter](auto...) { return random_uniform(9, counter++); };
  fill(x.view(), random);
  fill(w.view(), random);
  fill(y.kernel.view(), [](auto...) { return std::nan(""); });
  const HostBuffer memory(plan.workspace_bytes());
  const std::span<std::byte> workspace(memory.data(), static_cast<std::size_t>(memory.bytes()));
  plan.run({x.view(), w.view(), {}, y.call.view()}, workspace);
  plan.run_kernel({x.view(), w.view(), {}, y.kernel.view()}, workspace);
  return y;
}

std::vector<double> values(const Tensor& y) {
  const Tensor dense = converted(y.view(), DType::f64, Layout::NCHW);
  return {dense.as<double>().data, dense.as<double>().data + dense.size()};
}

}  // namespace

TEST_CASE("a kernel alone computes what its call does, for every row that has one, option and layout") {
  int rows = 0;
  for (const Variant& variant : variants())
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Draw draw{seed};
      ConvSpec spec = drawn_layer(draw);
      spec.groups = draw(1, 2), spec.ci *= spec.groups, spec.co *= spec.groups;
      if (draw.coin()) spec.groups = spec.co = spec.ci;  // depthwise
      const Layout layout = kLayouts[seed % kLayouts.size()];
      const Request request{ConvProblem(spec), DType::f32, {layout, kFilterLayouts[seed % 2], layout}, variant.options};
      if (!variant.row->supports(request)) continue;
      const auto plan = variant.row->plan(request);
      if (!plan->why_no_kernel().empty()) continue;
      INFO(variant.name() << ", seed " << seed);
      const Both y = computed(*plan);
      CHECK(values(y.call) == values(y.kernel));
      ++rows;
    }
  CHECK(rows > 100);
}

TEST_CASE("a row without a kernel apart from its call says so") {
  const auto plan = find_algorithm("direct.ref").plan({ConvProblem({.hi = 4, .wi = 4, .hf = 3, .wf = 3})});
  CHECK(plan->why_no_kernel() ==
        "timed: kernel, must be call for direct.ref, which has no kernel apart from the rest of its call");
  CHECK_THROWS_AS(computed(*plan), Unsupported);
}
