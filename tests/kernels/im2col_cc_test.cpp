// im2col.cc without a GPU: its matrices, its passes, and what it refuses.
#include "kernels/im2col/im2col.h"

#include <cmath>

#include "algorithms/im2col/im2col_map.h"
#include "tests/catch.h"
#include "tests/kernels/host_products.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const ConvProblem& problem, const std::string& options = "", Layout x = Layout::NCHW,
                Layout y = Layout::NCHW) {
  return complete(
      gpu::im2col_cc(),
      {problem, DType::f32, {x, FilterLayout::OIHW, y}, OptionSet::parse(options, gpu::im2col_cc().options)});
}

// What the lowering and the packing write, by their stages' maps.
void fill_stage(const Stage& stage, const TensorView& source, Operand from, std::int64_t first_image,
                HostMemory& memory) {
  std::vector<float>& buffer = memory.buffers[stage.id];
  buffer.assign(static_cast<std::size_t>(stage.resident_cells()), NAN);
  for_each_cell(stage, [&](const Coord& cell) {
    if (from == kInput && (cell[0] < first_image || cell[0] >= first_image + stage.axes[0].resident)) return;
    float value = 0;
    for (const Term& term : stage.map->source(cell).terms)
      value =
          static_cast<float>(element(source, term.at.first[0], term.at.first[1], term.at.first[2], term.at.first[3]));
    Coord resident = cell;
    if (from == kInput) resident[0] -= first_image;
    buffer[static_cast<std::size_t>(stage.offset(resident))] = value;
  });
}

}  // namespace

TEST_CASE("im2col.cc: the products of its matrices are the convolution, in every layout and batching") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    const ConvProblem problem = random_problem(41, index, 9, 8000);
    const Layout y = kLayouts[index % 3];
    const char* const batching = index % 2 == 0 ? "full" : "image";
    const auto plan = gpu::im2col_cc().plan(
        request(problem, "gemm=cublas,batching=" + std::string(batching), kLayouts[index / 3 % 3], y));
    INFO("layer " << index);
    const testing::Trial trial(problem, DType::f32, index);
    const Strides y_step = dense_strides(y, problem.y_shape());

    HostMemory memory;
    memory.y.assign(static_cast<std::size_t>(elements(problem.y_shape())), 0.0f);
    if (problem.bias())  // as fill_bias leaves it
      for (std::int64_t k = 0; k < elements(problem.y_shape()); ++k)
        memory.y[static_cast<std::size_t>(k)] =
            static_cast<float>(element(trial.bias.view(), k / y_step[1] % problem.co(), 0, 0, 0));
    const Stage &matrix = plan->stages()[0], &filter = plan->stages()[1];
    fill_stage(filter, trial.w.view(), kFilter, 0, memory);
    std::int64_t first_image = 0;
    for (const gpu::Step& step : plan->program()->steps) {
      if (const auto* launch = std::get_if<gpu::Launch>(&step); launch != nullptr && launch->kernel.entry == "lower") {
        first_image = launch->arguments[2].number;
        fill_stage(matrix, trial.x.view(), kInput, first_image, memory);
      }
      if (const auto* product = std::get_if<gpu::Gemm>(&step)) multiply(*product, memory);
    }
    std::size_t k = 0;
    for (std::int64_t n = 0; n < problem.n(); ++n)
      for (std::int64_t o = 0; o < problem.co(); ++o)
        for (std::int64_t p = 0; p < problem.ho(); ++p)
          for (std::int64_t q = 0; q < problem.wo(); ++q, ++k)
            REQUIRE(
                std::abs(
                    memory.y[static_cast<std::size_t>(n * y_step[0] + o * y_step[1] + p * y_step[2] + q * y_step[3])] -
                    trial.y[k]) <= 1e-5 * (trial.sum_abs[k] + 1));
  }
}

TEST_CASE("im2col.cc: the bytes of its matrix are those of the images lowered at a time") {
  const ConvProblem problem({.n = 6, .ci = 8, .hi = 14, .wi = 14, .co = 4, .hf = 3, .wf = 3});
  const auto bytes = [&](const std::string& options) {
    return gpu::im2col_cc().plan(request(problem, options))->stages()[0].bytes();
  };
  CHECK(bytes("batching=image") == 12 * 12 * 8 * 9 * 4);
  CHECK(bytes("batching=chunk,chunk_images=4") == 4 * bytes("batching=image"));
  CHECK(bytes("batching=full") == 6 * bytes("batching=image"));
}

TEST_CASE("im2col.cc says how many bytes its matrix takes when memory is short") {
  Request asked = request(ConvProblem(
      {.n = 256, .ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 7, .wf = 7, .stride_h = 2, .stride_w = 2}));
  asked.memory_limit = std::int64_t{16} << 30;
  const Support support = gpu::im2col_cc().supports(asked);
  CHECK_FALSE(support.ok);
  CHECK_THAT(support.reason, Contains("bytes"));
  asked.options.set("batching", "chunk");
  CHECK(gpu::im2col_cc().supports(asked).ok);
}

TEST_CASE("im2col.cc refuses chunks that leave a remainder in CHWN, and windows beyond shared memory") {
  const auto refuses = [](const Request& asked, const std::string& reason) {
    const Support support = gpu::im2col_cc().supports(asked);
    CHECK_FALSE(support.ok);
    CHECK_THAT(support.reason, Contains(reason));
    REQUIRE(support.nearest);
    CHECK(gpu::im2col_cc().supports(*support.nearest).ok);
  };
  const ConvProblem layer({.n = 5, .ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3});
  refuses(request(layer, "batching=chunk,chunk_images=2", Layout::CHWN, Layout::CHWN),
          "chunk_images: 2, must divide N = 5 where the output is CHWN");
  const ConvProblem wide({.n = 1, .ci = 1, .hi = 200, .wi = 200, .co = 1, .hf = 150, .wf = 150});
  refuses(request(wide), "shared memory");
}
