// What im2win.tc leaves in a GPU's memory, its aligned im2win tensor and its filter matrix, is what their maps say.
#include "algorithms/measure/placed_buffer.h"
#include "algorithms/problem/parse.h"
#include "algorithms/tensor/random.h"
#include "kernels/im2win/im2win.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/support/boxes.h"
#include "tests/support/random_problems.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// A whole number, exact in f16, that tells elements apart.
float value(const Coord& at) {
  return static_cast<float>(random_integer(7, static_cast<std::uint64_t>(flat(at, {99, 999, 999, 999, 1, 1})), 1, 999));
}

Tensor numbered(auto layout, const Shape& shape) {
  Tensor tensor(DType::f16, layout, shape);
  fill(tensor.view(), [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return value({a, b, c, d});
  });
  return tensor;
}

}  // namespace

TEST_CASE("every cell of im2win.tc's tensor and filter matrix is as mapped, zeros included", "[gpu]") {
  if (no_gpu()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC, Layout::CHWN);
  std::vector<ConvProblem> problems{
      ConvProblem({.n = 2, .ci = 3, .hi = 43, .wi = 321, .co = 5, .hf = 11, .wf = 11, .stride_h = 4, .stride_w = 4}),
      ConvProblem(
          {.n = 3, .ci = 16, .hi = 12, .wi = 37, .co = 10, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 2, .groups = 2}),
      ConvProblem({.n = 1, .ci = 9000, .hi = 3, .wi = 5, .co = 2, .hf = 3, .wf = 2})};
  for (std::uint64_t index = 0; index < 20; ++index) problems.push_back(random_problem(84, index));
  for (const ConvProblem& problem : problems) {
    if (problem.n() == 0) continue;
    const Layouts layouts{layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
    const auto plan = gpu::im2win_tc().plan({.problem = problem,
                                             .dtype = DType::f16,
                                             .layouts = layouts,
                                             .options = OptionSet::parse("", gpu::im2win_tc().options),
                                             .place = kGpu});
    const GpuTensor x(numbered(layouts.x, problem.x_shape())), w(numbered(layouts.w, problem.w_shape()));
    const GpuTensor y(DType::f16, layouts.y, problem.y_shape());
    const DeviceBuffer workspace(first_gpu(), plan->workspace_bytes());
    const std::span memory(workspace.data(), static_cast<std::size_t>(workspace.bytes()));
    first_gpu().set(memory.data(), std::byte{0xff}, workspace.bytes());
    const Tensor bias(DType::f16, Layout::NCHW, {problem.co(), 1, 1, 1});
    const GpuTensor there(bias);
    plan->run(
        {.x = x.view(), .w = w.view(), .bias = problem.bias() ? as_bias(there.view()) : BiasView{}, .y = y.view()},
        memory);
    first_gpu().synchronize();
    std::vector<std::byte> host(memory.size());
    first_gpu().download(host, memory.data());

    for (std::size_t k = 0; k < plan->stages().size(); ++k) {
      const Stage& stage = plan->stages()[k];
      const f16* const cells = reinterpret_cast<const f16*>(host.data() + plan->workspace()[k].offset);
      REQUIRE(plan->workspace()[k].name == stage.id);
      INFO(stage.id << " of " << to_text(problem.spec()) << ", " << name(layout));
      for_each(Box{{}, extents(stage)}, [&](const Coord& at) {
        const Source source = stage.map->source(at);
        const float expected = source.kind == SourceKind::element ? value(source.terms[0].at.first) : 0;
        if (static_cast<float>(cells[stage.offset(at)]) != expected) FAIL("cell " << text(at) << " is wrong");
      });
    }
  }
}
