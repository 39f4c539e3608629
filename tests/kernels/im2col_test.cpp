// im2col.cc and im2col.tc without a GPU: their matrices, their passes, and what they refuse.
#include "kernels/im2col/im2col.h"

#include <algorithm>
#include <cmath>

#include "algorithms/problem/layers.h"
#include "kernels/im2col/lowering_tile.h"
#include "tests/catch.h"
#include "tests/kernels/host_products.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const ConvProblem& problem, const std::string& options = "", Layout x = Layout::NCHW,
                Layout y = Layout::NCHW, const Algorithm& row = gpu::im2col_cc(), FilterLayout w = FilterLayout::OIHW) {
  const DType dtype = row.unit == Unit::tc ? DType::f16 : DType::f32;
  return complete(row, {problem, dtype, {x, w, y}, OptionSet::parse(options, row.options)});
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

std::vector<float> dense(const TensorView& w, FilterLayout layout) {
  const Shape shape{w.shape};
  const Strides step = dense_strides(layout, shape);
  std::vector<float> values(static_cast<std::size_t>(elements(shape)));
  for (std::int64_t o = 0; o < shape[0]; ++o)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t u = 0; u < shape[2]; ++u)
        for (std::int64_t v = 0; v < shape[3]; ++v)
          values[static_cast<std::size_t>(o * step[0] + c * step[1] + u * step[2] + v * step[3])] =
              static_cast<float>(element(w, o, c, u, v));
  return values;
}

}  // namespace

TEST_CASE("im2col on a GPU: the products of its matrices are the convolution, in every layout and batching") {
  const Algorithm& row = *GENERATE(&gpu::im2col_cc(), &gpu::im2col_tc());
  for (std::uint64_t index = 0; index < 60; ++index) {
    const ConvProblem problem = random_problem(41, index, 9, 8000);
    const Layout y = kLayouts[index % 3];
    const char* const batching = index % 2 == 0 ? "full" : "image";
    const FilterLayout w = index % 5 < 2 ? FilterLayout::OIHW : FilterLayout::OHWI;
    const auto plan =
        row.plan(request(problem, "gemm=cublas,batching=" + std::string(batching), kLayouts[index / 3 % 3], y, row, w));
    INFO(row.id << ", layer " << index);
    const testing::Trial trial(problem, DType::f32, index);
    const Strides y_step = dense_strides(y, problem.y_shape());

    HostMemory memory;
    memory.y.assign(static_cast<std::size_t>(elements(problem.y_shape())), 0.0f);
    if (problem.bias())  // as fill_bias leaves it
      for (std::int64_t k = 0; k < elements(problem.y_shape()); ++k)
        memory.y[static_cast<std::size_t>(k)] =
            static_cast<float>(element(trial.bias.view(), k / y_step[1] % problem.co(), 0, 0, 0));
    const Stage &matrix = plan->stages()[0], &filter = plan->stages()[1];
    const bool sums_apart = row.unit == Unit::tc && problem.bias();
    if (sums_apart) memory.buffers["sums"].assign(memory.y.size(), NAN);
    if (filter.stored)
      fill_stage(filter, trial.w.view(), kFilter, 0, memory);
    else
      memory.w = dense(trial.w.view(), w);
    std::int64_t first_image = 0;
    for (const gpu::Step& step : plan->program()->steps) {
      if (const auto* launch = std::get_if<gpu::Launch>(&step); launch != nullptr && launch->kernel.entry == "lower") {
        first_image = launch->arguments[2].number;
        fill_stage(matrix, trial.x.view(), kInput, first_image, memory);
      }
      if (const auto* product = std::get_if<gpu::Gemm>(&step)) multiply(*product, memory);
    }
    if (sums_apart)  // as add_bias does, to y as fill_bias would leave it
      for (std::size_t k = 0; k < memory.y.size(); ++k) memory.y[k] += memory.buffers["sums"][k];
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

TEST_CASE("im2col.tc: a row of the matrix is rounded up to whole vectors, with zeros that only align") {
  const ConvProblem problem({.n = 2, .ci = 3, .hi = 12, .wi = 12, .co = 4, .hf = 7, .wf = 7, .pad_top = 1});
  for (const Layout x : {Layout::NCHW, Layout::NHWC}) {
    const auto plan = gpu::im2col_tc().plan(request(problem, "", x, x, gpu::im2col_tc()));
    const Stage &matrix = plan->stages()[0], &filter = plan->stages()[1];
    CHECK(matrix.axes[4].extent == 152);
    CHECK(matrix.bytes() == 2 * problem.ho() * problem.wo() * 152 * 2);
    CHECK(filter.bytes() == 4 * 152 * 2);
    CHECK(matrix.map->source({0, 3, 0, 0, 146}).kind == SourceKind::element);
    CHECK(matrix.map->source({0, 3, 0, 0, 147}).kind == SourceKind::alignment_padding);
    CHECK(matrix.map->source({0, 0, 0, 0, 0}).kind == SourceKind::zero_padding);
    CHECK(filter.map->source({3, 151}).kind == SourceKind::alignment_padding);
    CHECK(matrix.map->outputs({0, 3, 0, 0, 147}).empty());
  }
}

TEST_CASE("im2col on a GPU: a cell has a source exactly when the source has the cell") {
  const ConvProblem problem(
      {.n = 2, .ci = 6, .hi = 7, .wi = 8, .co = 4, .hf = 3, .wf = 2, .stride_w = 2, .pad_top = 1, .groups = 2});
  for (const Layout x : {Layout::NCHW, Layout::NHWC}) {
    const auto plan = gpu::im2col_tc().plan(request(problem, "", x, x, gpu::im2col_tc()));
    for (const Stage& stage : plan->stages()) {
      std::int64_t elements_held = 0, listed = 0;
      for_each_cell(stage, [&](const Coord& cell) {
        for (const Term& term : stage.map->source(cell).terms) {
          ++elements_held;
          const std::vector<Box> boxes = stage.map->cells(term.from, term.at.first);
          CHECK(std::ranges::any_of(boxes, [&](const Box& box) { return box.contains(cell); }));
        }
      });
      const Shape shape = stage.made_from[0] == kInput ? problem.x_shape() : problem.w_shape();
      for (std::int64_t k = 0; k < elements(shape); ++k) {
        const Coord at{k / shape[3] / shape[2] / shape[1], k / shape[3] / shape[2] % shape[1], k / shape[3] % shape[2],
                       k % shape[3]};
        for (const Box& box : stage.map->cells(stage.made_from[0], at)) listed += box.size();
      }
      CHECK(listed == elements_held);
    }
  }
}

TEST_CASE("im2col on a GPU: lines of x begin as far into a vector of the patch as in memory, and share no vector") {
  int lines = 0;
  for (std::uint64_t index = 0; index < 200; ++index)
    for (const Algorithm* row : {&gpu::im2col_cc(), &gpu::im2col_tc()})
      for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
        const ConvProblem p = random_problem(87, index, 30, 200000);
        const gpu::LoweringTile tile(request(p, "staging=on", layout, layout, *row), p.n());
        if (!tile.lines) continue;
        ++lines;
        const bool last = layout == Layout::NHWC;
        const Strides step = dense_strides(layout, p.x_shape());
        const std::int64_t width = (tile.q - 1) * p.spec().stride_w + p.extent_w(), vector = tile.vector;
        const std::int64_t line = width * (last ? p.ci_per_group() : 1), to_next = p.spec().dilation_h * step[2];
        INFO("layer " << index << " " << row->id << " " << name(layout));
        CHECK((tile.row_pitch - to_next) % vector == 0);
        CHECK((tile.slice_pitch - (last ? to_next : step[1])) % vector == 0);
        for (std::int64_t begin = 0; begin < vector; ++begin)
          for (const std::int64_t next : {tile.row_pitch, tile.slice_pitch - (last ? 0 : p.hf() - 1) * tile.row_pitch})
            CHECK((begin + line + vector - 1) / vector <= (begin + next) / vector);
      }
  CHECK(lines > 100);
}

TEST_CASE("im2col on a GPU: a block takes several rows of y where vectors are put together, and one where copied") {
  const auto rows = [](const std::string& name) {
    const ConvProblem p = ConvProblem(find_layer(name).spec).with_batch(256);
    return gpu::LoweringTile(request(p, "", Layout::NHWC, Layout::NHWC, gpu::im2col_tc(), FilterLayout::OHWI), 256).p;
  };
  CHECK(rows("cv1") == 3);
  CHECK(rows("cv9") == 1);
}

TEST_CASE("im2col.tc: a filter that is the matrix already stays where it is") {
  const ConvProblem whole({.n = 1, .ci = 16, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3});
  const ConvProblem ragged({.n = 1, .ci = 3, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3});
  const auto filter_bytes = [](const ConvProblem& problem, Layout x, FilterLayout w) {
    return gpu::im2col_tc().plan(request(problem, "", x, x, gpu::im2col_tc(), w))->stages()[1].bytes();
  };
  CHECK(filter_bytes(whole, Layout::NHWC, FilterLayout::OHWI) == 0);
  CHECK(filter_bytes(whole, Layout::NCHW, FilterLayout::OIHW) == 0);
  CHECK(filter_bytes(whole, Layout::NHWC, FilterLayout::OIHW) == 4 * 144 * 2);
  CHECK(filter_bytes(ragged, Layout::NHWC, FilterLayout::OHWI) == 4 * 32 * 2);
}

TEST_CASE("im2col.tc takes short types only, and promises four times a sum's roundings") {
  const ConvProblem problem({.n = 1, .ci = 16, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3});
  Request asked = request(problem, "", Layout::NHWC, Layout::NHWC, gpu::im2col_tc());
  asked.dtype = DType::f32;
  const Support support = gpu::im2col_tc().supports(asked);
  CHECK_THAT(support.reason, Contains("dtype: f32, must be f16 or bf16 on tensor cores"));
  REQUIRE(support.nearest);
  const auto plan = gpu::im2col_tc().plan(*support.nearest);
  const std::vector<double> x(static_cast<std::size_t>(elements(problem.x_shape())), 1), w(x), sums(4 * 49, 144);
  std::vector<double> bound(sums.size());
  plan->error_model().worst_case({problem,
                                  {x.data(), problem.x_shape(), dense_strides(Layout::NCHW, problem.x_shape())},
                                  {w.data(), problem.w_shape(), dense_strides(FilterLayout::OIHW, problem.w_shape())},
                                  sums},
                                 bound);
  CHECK(bound[0] == Approx(4 * gamma(144, 0x1p-24) * 144));
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
