// What the lowerings of rows on a GPU and their packed filters are in its memory is what their index maps say.
#include <cmath>

#include "algorithms/problem/layers.h"
#include "algorithms/tensor/numbering.h"
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

// Random, and rounded to `dtype`.
double value(std::uint64_t seed, DType dtype, const Shape& shape, const Coord& at) {
  const std::int64_t index = number_of({at[0], at[1], at[2], at[3]}, shape);
  const double exact = random_uniform(seed, static_cast<std::uint64_t>(index));
  return visit(dtype, [&]<class T>() { return static_cast<double>(static_cast<T>(static_cast<float>(exact))); });
}

Tensor random_tensor(DType dtype, auto layout, const Shape& shape, std::uint64_t seed) {
  Tensor tensor(dtype, layout, shape);
  fill(tensor.view(), [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return value(seed, dtype, shape, {a, b, c, d});
  });
  return tensor;
}

// A stage's buffer on the host.
struct Cells {
  const Stage& stage;
  const std::byte* memory;

  double operator[](const Coord& cell) const {
    return visit(stage.dtype, [&]<class T>() {
      return static_cast<double>(reinterpret_cast<const T*>(memory)[stage.offset(cell)]);
    });
  }
};

constexpr std::uint64_t kSeedX = 21, kSeedW = 22;

// Runs the row and calls check(cells) for each of its stored stages that is made from x or w. Returns how many these
// were.
template <class Check>
int run(const Algorithm& row, const ConvProblem& problem, const std::string& options, Layout layout, DType dtype,
        Check&& check) {
  const Layouts layouts{layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
  const auto plan = row.plan({.problem = problem,
                              .dtype = dtype,
                              .layouts = layouts,
                              .options = OptionSet::parse(options, row.options),
                              .place = kGpu});
  INFO(plan->run_name() << ", " << name(layout) << ", " << name(dtype));
  const GpuTensor x(random_tensor(dtype, layouts.x, problem.x_shape(), kSeedX));
  const GpuTensor w(random_tensor(dtype, layouts.w, problem.w_shape(), kSeedW));
  const GpuTensor y(dtype, layouts.y, problem.y_shape());
  const DeviceBuffer workspace(first_gpu(), plan->workspace_bytes());
  const std::span memory = workspace.span();
  first_gpu().set(memory.data(), std::byte{0xff}, workspace.bytes());
  first_gpu().prepare(*plan);
  plan->run({.x = x.view(), .w = w.view(), .bias = {}, .y = y.view()}, memory);
  first_gpu().synchronize();

  std::vector<std::byte> host(memory.size());
  first_gpu().download(host, memory.data());
  int checked = 0;
  for (const Stage& stage : plan->stages())
    for (const Buffer& buffer : plan->workspace())
      if (buffer.name == stage.id &&
          (stage.made_from == std::vector{kInput} || stage.made_from == std::vector{kFilter})) {
        check(Cells{stage, host.data() + buffer.offset});
        ++checked;
      }
  return checked;
}

// Whether a cell holds the sum of its terms: exactly where it copies, to within a few roundings where it adds up, one
// of them to the stage's own type.
bool right(const Cells& cells, DType dtype, const ConvProblem& problem, const Coord& cell) {
  const Source source = cells.stage.map->source(cell);
  double sum = 0, size = 0;
  for (const Term& term : source.terms) {
    const double product =
        term.coefficient.value() * (term.from == kInput ? value(kSeedX, dtype, problem.x_shape(), term.at.first)
                                                        : value(kSeedW, dtype, problem.w_shape(), term.at.first));
    sum += product;
    size += std::abs(product);
  }
  const DType stored = cells.stage.dtype;
  const double rounding =
      20 * 0x1p-24 * size +
      (size_of(stored) == 2 ? unit_roundoff(stored) * std::abs(sum) + smallest_subnormal(stored) : 0);
  return std::abs(cells[cell] - sum) <= (source.kind == SourceKind::combination ? rounding : 0);
}

}  // namespace

TEST_CASE("every cell of a lowering on a GPU, and of a packed filter, is as mapped", "[gpu]") {
  if (no_gpu()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC, Layout::CHWN);
  const std::int64_t channels = GENERATE(6, 16);  // no vector of a group, and whole vectors
  const ConvProblem problem({.n = 2,
                             .ci = channels,
                             .hi = 13,
                             .wi = 37,
                             .co = 10,
                             .hf = 3,
                             .wf = 3,
                             .pad_top = 1,
                             .pad_left = 2,
                             .groups = 2});
  const auto checked = [&](const Algorithm& row, const std::string& options, DType dtype) {
    return run(row, problem, options, layout, dtype, [&](const Cells& cells) {
      for_each_cell(cells.stage, [&](const Coord& cell) { REQUIRE(right(cells, dtype, problem, cell)); });
    });
  };
  CHECK(checked(gpu::direct_cc(), "", DType::f32) == 1);
  CHECK(checked(gpu::implicit_gemm_cc(), "", DType::f32) == 1);
  for (const char* options : {"window=stored", "window=stored,sizes=runtime"})
    CHECK(checked(gpu::im2win_cc(), options, DType::f32) == 2);
  for (const char* options : {"m=2", "m=4", "m=6", "m=4,sizes=runtime", "fuse=on"})
    CHECK(checked(gpu::winograd_cc(), options, DType::f32) > 0);
  for (const char* options : {"", "staging=off", "sizes=runtime"}) {
    CHECK(checked(gpu::im2col_cc(), options, DType::f32) > 0);
    for (const DType dtype : {DType::f16, DType::bf16}) CHECK(checked(gpu::im2col_tc(), options, dtype) > 0);
  }
  for (const char* options : {"m=2", "m=4", "m=4,sizes=runtime"})
    for (const DType dtype : {DType::f16, DType::bf16}) CHECK(checked(gpu::winograd_tc(), options, dtype) > 0);
}

TEST_CASE("a million cells of a layer's lowerings on a GPU, and its borders, are as mapped", "[gpu][large]") {
  if (no_gpu()) return;
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC);
  const ConvProblem problem = ConvProblem(find_layer("cv9").spec).with_batch(32);
  const auto checked = [&](const Algorithm& row, const std::string& options, DType dtype) {
    return run(row, problem, options, layout, dtype, [&](const Cells& cells) {
      const Stage& stage = cells.stage;
      const std::uint64_t axes = stage.axes.size();
      for (std::uint64_t k = 0; k < 1'000'000; ++k) {
        Coord cell{};
        for (std::size_t axis = 0; axis < axes; ++axis)
          cell[axis] = random_integer(23, k * 8 + axis, 0, stage.axes[axis].extent - 1);
        // Every tenth lies on a border: first or last along each axis in turn.
        if (const std::size_t axis = k / 10 % axes; k % 10 == 0)
          cell[axis] = k / 10 / axes % 2 == 0 ? 0 : stage.axes[axis].extent - 1;
        if (!right(cells, dtype, problem, cell)) FAIL(stage.id << ": cell " << k << " is wrong");
      }
    });
  };
  CHECK(checked(gpu::im2col_cc(), "", DType::f32) > 0);
  CHECK(checked(gpu::im2col_tc(), "", DType::f16) > 0);
  CHECK(checked(gpu::im2win_cc(), "window=stored", DType::f32) == 2);
  CHECK(checked(gpu::winograd_cc(), "", DType::f32) > 0);
  CHECK(checked(gpu::winograd_tc(), "", DType::f16) > 0);
}
