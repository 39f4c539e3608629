// What the lowerings of rows on a GPU and their packed filters are in its memory is what their index maps say.
#include <cmath>

#include "algorithms/problem/layers.h"
#include "algorithms/tensor/random.h"
#include "kernels/direct/direct.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2win/im2win.h"
#include "kernels/winograd/winograd.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/kernels/host_products.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

float value(std::uint64_t seed, const Shape& shape, const Coord& at) {
  const std::int64_t index = ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
  return static_cast<float>(random_uniform(seed, static_cast<std::uint64_t>(index)));
}

Tensor random_tensor(auto layout, const Shape& shape, std::uint64_t seed) {
  Tensor tensor(DType::f32, layout, shape);
  fill(tensor.view(), [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return value(seed, shape, {a, b, c, d});
  });
  return tensor;
}

constexpr std::uint64_t kSeedX = 21, kSeedW = 22;

// Runs the row and calls check(stage, buffer) for each of its stored stages that is made from x or w. Returns how many
// these were.
template <class Check>
int run(const Algorithm& row, const ConvProblem& problem, const std::string& options, Layout layout, Check&& check) {
  const Layouts layouts{layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
  const auto plan = row.plan(
      {.problem = problem, .layouts = layouts, .options = OptionSet::parse(options, row.options), .place = kGpu});
  INFO(plan->run_name() << ", " << name(layout));
  const GpuTensor x(random_tensor(layouts.x, problem.x_shape(), kSeedX));
  const GpuTensor w(random_tensor(layouts.w, problem.w_shape(), kSeedW));
  const GpuTensor y(DType::f32, layouts.y, problem.y_shape());
  const DeviceBuffer workspace(first_gpu(), plan->workspace_bytes());
  const std::span memory = workspace.span();
  first_gpu().set(memory.data(), std::byte{0xff}, workspace.bytes());
  first_gpu().prepare(*plan);
  plan->run({.x = x.view(), .w = w.view(), .bias = {}, .y = y.view()}, memory);
  first_gpu().synchronize();

  std::vector<float> host(memory.size() / sizeof(float));
  first_gpu().download(std::as_writable_bytes(std::span(host)), memory.data());
  int checked = 0;
  for (const Stage& stage : plan->stages())
    for (const Buffer& buffer : plan->workspace())
      if (buffer.name == stage.id &&
          (stage.made_from == std::vector{kInput} || stage.made_from == std::vector{kFilter})) {
        check(stage, host.data() + buffer.offset / static_cast<std::int64_t>(sizeof(float)));
        ++checked;
      }
  return checked;
}

// Whether a cell holds the sum of its terms: exactly where it copies, to within a few roundings where it adds up.
bool right(const Stage& stage, const float* buffer, const ConvProblem& problem, const Coord& cell) {
  const Source source = stage.map->source(cell);
  double sum = 0, size = 0;
  for (const Term& term : source.terms) {
    const double product =
        term.coefficient.value() * (term.from == kInput ? value(kSeedX, problem.x_shape(), term.at.first)
                                                        : value(kSeedW, problem.w_shape(), term.at.first));
    sum += product;
    size += std::abs(product);
  }
  const double tolerance = source.kind == SourceKind::combination ? 20 * 0x1p-24 * size : 0;
  return std::abs(buffer[stage.offset(cell)] - sum) <= tolerance;
}

}  // namespace

TEST_CASE("every cell of a lowering on a GPU, and of a packed filter, is as mapped", "[gpu]") {
  if (no_gpu()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC, Layout::CHWN);
  const ConvProblem problem(
      {.n = 3, .ci = 6, .hi = 13, .wi = 37, .co = 10, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 2, .groups = 2});
  const auto check = [&](const Stage& stage, const float* buffer) {
    for_each_cell(stage, [&](const Coord& cell) { REQUIRE(right(stage, buffer, problem, cell)); });
  };
  CHECK(run(gpu::direct_cc(), problem, "", layout, check) == 1);
  CHECK(run(gpu::implicit_gemm_cc(), problem, "", layout, check) == 1);
  for (const char* options : {"window=stored", "window=stored,sizes=runtime"})
    CHECK(run(gpu::im2win_cc(), problem, options, layout, check) == 2);
  for (const char* options : {"", "staging=off", "sizes=runtime"})
    CHECK(run(gpu::im2col_cc(), problem, options, layout, check) > 0);
  for (const char* options : {"m=2", "m=4", "m=6", "m=4,sizes=runtime", "fuse=on"})
    CHECK(run(gpu::winograd_cc(), problem, options, layout, check) > 0);
}

TEST_CASE("a million cells of a layer's lowerings on a GPU, and its borders, are as mapped", "[gpu][large]") {
  if (no_gpu()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC);
  const ConvProblem problem = ConvProblem(find_layer("cv9").spec).with_batch(32);
  const auto check = [&](const Stage& stage, const float* buffer) {
    const std::uint64_t axes = stage.axes.size();
    for (std::uint64_t k = 0; k < 1'000'000; ++k) {
      Coord cell{};
      for (std::size_t axis = 0; axis < axes; ++axis)
        cell[axis] = random_integer(23, k * 8 + axis, 0, stage.axes[axis].extent - 1);
      // Every tenth lies on a border: first or last along each axis in turn.
      if (const std::size_t axis = k / 10 % axes; k % 10 == 0)
        cell[axis] = k / 10 / axes % 2 == 0 ? 0 : stage.axes[axis].extent - 1;
      if (!right(stage, buffer, problem, cell)) FAIL(stage.id << ": cell " << k << " is wrong");
    }
  };
  CHECK(run(gpu::im2col_cc(), problem, "", layout, check) > 0);
  CHECK(run(gpu::im2win_cc(), problem, "window=stored", layout, check) == 2);
  CHECK(run(gpu::winograd_cc(), problem, "", layout, check) > 0);
}
