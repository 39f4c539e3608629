// winograd.cc and winograd.tc without a GPU: what they store, how they multiply, and what they refuse.
#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/error.h"
#include "algorithms/problem/layers.h"
#include "algorithms/winograd/winograd_map.h"
#include "kernels/text.h"
#include "kernels/winograd/winograd.h"
#include "tests/catch.h"
#include "tests/kernels/host_products.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const ConvProblem& problem, const std::string& options = "", Layout x = Layout::NCHW,
                Layout y = Layout::NCHW) {
  return {problem, DType::f32, {x, FilterLayout::OIHW, y}, OptionSet::parse(options, gpu::winograd_cc().options)};
}

Request short_request(const ConvProblem& problem, const std::string& options, Layout x = Layout::NHWC,
                      Layout y = Layout::NHWC) {
  return {problem, DType::f16, {x, FilterLayout::OHWI, y}, OptionSet::parse(options, gpu::winograd_tc().options)};
}

std::shared_ptr<const Plan> plan(const Request& asked) {
  if (asked.dtype != DType::f32) return gpu::winograd_tc().plan(complete(gpu::winograd_tc(), asked));
  return gpu::winograd_cc().plan(complete(gpu::winograd_cc(), asked));
}

ConvSpec layer(std::int64_t n, std::int64_t channels, std::int64_t side, std::int64_t filter) {
  return {.n = n, .ci = channels, .hi = side, .wi = side, .co = channels, .hf = filter, .wf = filter};
}

const gpu::Launch& launch(const Plan& plan, const std::string& entry) {
  for (const gpu::Step& step : plan.program()->steps)
    if (const auto* found = std::get_if<gpu::Launch>(&step); found != nullptr && found->kernel.entry == entry)
      return *found;
  throw BadInput("no launch of " + entry);
}

}  // namespace

TEST_CASE("winograd on a GPU: the products of V and U are the stage M, in every layout") {
  const bool tensor_cores = GENERATE(false, true);
  const ConvProblem problem({.n = 2, .ci = 6, .hi = 7, .wi = 9, .co = 4, .hf = 3, .wf = 3, .pad_top = 1, .groups = 2});
  for (const Layout x : kLayouts)
    for (const Layout y : kLayouts) {
      const std::string options = "m=2,gemm=cublas";
      const auto made = plan(tensor_cores ? short_request(problem, options, x, y) : request(problem, options, x, y));
      INFO(name(x) << " " << name(y));
      HostMemory memory;
      for (const Stage& stage : made->stages())
        memory.buffers[stage.id].assign(static_cast<std::size_t>(stage.cells()), NAN);
      const Stage &v = made->stages()[0], &u = made->stages()[1], &m = made->stages()[2];
      for (const Stage* stage : {&v, &u})
        for_each_cell(*stage, [&](const Coord& cell) {
          float& number = memory.buffers[stage->id][static_cast<std::size_t>(stage->offset(cell))];
          REQUIRE(std::isnan(number));  // no two cells share an offset
          number = static_cast<float>(random_integer(7, static_cast<std::uint64_t>(stage->offset(cell)), -9, 9));
        });
      for (const gpu::Step& step : made->program()->steps)
        if (const auto* product = std::get_if<gpu::Gemm>(&step)) multiply(*product, memory);
      for_each_cell(m, [&](const Coord& cell) {
        const Source source = m.map->source(cell);
        double sum = 0;
        for (std::int64_t c = 0; c < problem.ci_per_group(); ++c) {
          Coord of_v = source.terms[0].at.first, of_u = source.terms[1].at.first;
          of_v[5] += c, of_u[3] += c;
          sum += static_cast<double>(memory.buffers["V"][static_cast<std::size_t>(v.offset(of_v))]) *
                 memory.buffers["U"][static_cast<std::size_t>(u.offset(of_u))];
        }
        REQUIRE(memory.buffers["M"][static_cast<std::size_t>(m.offset(cell))] == sum);
      });
    }
}

TEST_CASE("winograd.cc: the own GEMM and cuBLAS multiply the same matrices") {
  const ConvProblem problem(layer(3, 8, 11, 3));
  const auto own = plan(request(problem, "gemm=own,chunk_images=2")),
             library = plan(request(problem, "gemm=cublas,chunk_images=2"));
  CHECK(own->program()->steps.size() == library->program()->steps.size());
  CHECK(own->executed_flops() == library->executed_flops());
  CHECK(library->workspace_bytes() > own->workspace_bytes());
}

TEST_CASE("winograd.cc: a chunk of images keeps V and M small") {
  const ConvProblem problem(layer(8, 16, 14, 3));
  const auto whole = plan(request(problem)), chunked = plan(request(problem, "chunk_images=2"));
  CHECK(chunked->stages()[0].bytes() * 4 == whole->stages()[0].bytes());
  CHECK(chunked->stages()[2].bytes() * 4 == whole->stages()[2].bytes());
  CHECK(chunked->stages()[1].bytes() == whole->stages()[1].bytes());
}

TEST_CASE("winograd.cc: m = auto takes few products on small outputs, and at most eight points") {
  const auto note = [](const ConvSpec& spec) { return plan(request(ConvProblem(spec), "fuse=off"))->notes()[0]; };
  CHECK_THAT(std::string(note(layer(256, 512, 7, 3))), Contains("F(5x5,3x3)"));   // one tile an image, 5 × 5 outputs
  CHECK_THAT(std::string(note(layer(256, 256, 14, 3))), Contains("F(6x6,3x3)"));  // 12 × 12 outputs
  CHECK_THAT(std::string(note(layer(256, 96, 24, 5))), Contains("F(4x4,5x5)"));
}

TEST_CASE("winograd.cc: fused, only U is stored") {
  const auto fused = plan(request(ConvProblem(layer(2, 16, 14, 3)), "fuse=on"));
  CHECK(fused->stages()[0].bytes() == 0);
  CHECK(fused->stages()[2].bytes() == 0);
  CHECK(fused->workspace_bytes() == fused->stages()[1].bytes());
  CHECK(launch(*fused, "winograd_fused").grid.x == gpu::ceil_div(2 * 6 * 6, 32));
}

TEST_CASE("winograd.cc: the kernels' matrices are those of the points") {
  const auto made = plan(request(ConvProblem(layer(1, 4, 9, 3)), "m=2"));
  const std::string text = gpu::source(launch(*made, "transform_input").kernel);
  CHECK_THAT(text,
             Contains("constexpr __device__ float bt_h[] = {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1};"));
  CHECK_THAT(gpu::source(launch(*made, "transform_filter").kernel),
             Contains("constexpr __device__ float g_h_over[] = {1, 2, 2, 1};"));
}

TEST_CASE("winograd.tc: V and U are short and scaled by powers of two that A undoes, M is not short") {
  const ConvProblem problem(layer(2, 16, 14, 3));
  const auto two = plan(short_request(problem, "m=2")), four = plan(short_request(problem, "m=4"));
  CHECK_THAT(two->notes()[1], Contains("V times 2^-2, U times 2^-2"));
  CHECK_THAT(four->notes()[1], Contains("V times 2^-7, U times 2^0"));
  CHECK(two->stages()[0].dtype == DType::f16);
  CHECK(two->stages()[1].dtype == DType::f16);
  CHECK(two->stages()[2].dtype == DType::f32);
  // No finite number overflows: the sums of |coefficients| of a cell are at most 1.
  for (const auto& made : {two, four})
    for (const int index : {0, 1}) {
      const Stage& stage = made->stages()[static_cast<std::size_t>(index)];
      for_each_cell(stage, [&](const Coord& cell) {
        double sum = 0;
        for (const Term& term : stage.map->source(cell).terms) sum += std::abs(term.coefficient.value());
        CHECK(sum <= 1);
      });
    }
  CHECK_THAT(gpu::source(launch(*two, "transform_output").kernel), Contains("at_h[] = {16, 16, 16, 0"));
}

TEST_CASE("winograd.tc: m = auto is, of up to five points, what was fastest on each layer") {
  const std::map<std::string, int> fastest{{"cv5", 2}, {"cv6", 2},  {"cv7", 3},  {"cv8", 3},
                                           {"cv9", 3}, {"cv10", 3}, {"cv11", 3}, {"cv12", 3}};
  for (const auto& [name, m] : fastest) {
    ConvSpec spec = find_layer(name).spec;
    spec.n = 256;
    INFO(name);
    const std::int64_t points = plan(short_request(ConvProblem(spec), ""))->stages()[0].axes[0].extent;
    CHECK(points == m + spec.hf - 1);
  }
}

TEST_CASE("winograd.tc: short V and U cost two roundings") {
  const ConvProblem small(layer(1, 2, 6, 3));
  const auto bound_of = [&](const Plan& of) {
    const std::vector<double> x(2 * 36, 1), w(36, 1), sums(32, 18);
    std::vector<double> bound(32);
    of.error_model().worst_case({small,
                                 {x.data(), small.x_shape(), dense_strides(Layout::NCHW, small.x_shape())},
                                 {w.data(), small.w_shape(), dense_strides(FilterLayout::OIHW, small.w_shape())},
                                 sums},
                                bound);
    return bound[0];
  };
  const double with_short = bound_of(*plan(short_request(small, "m=2"))),
               whole = bound_of(*plan(request(small, "m=2")));
  CHECK(with_short > 2 * unit_roundoff(DType::f16) * 18);
  CHECK(with_short > 100 * whole);
}

TEST_CASE("winograd.tc has no fused kernel, and refuses what F(m,r) cannot be") {
  CHECK_THROWS_AS(OptionSet::parse("fuse=on", gpu::winograd_tc().options), BadInput);
  ConvSpec strided = layer(1, 4, 9, 3);
  strided.stride_w = 2;
  const Support support =
      gpu::winograd_tc().supports(complete(gpu::winograd_tc(), short_request(ConvProblem(strided), "")));
  CHECK_THAT(support.reason, Contains("winograd needs stride 1, got 1x2"));
  const Support range =
      gpu::winograd_tc().supports(complete(gpu::winograd_tc(), short_request(ConvProblem(layer(1, 4, 20, 3)), "m=8")));
  CHECK_THAT(range.reason, Contains("F(8x8,3x3) in f16"));
  REQUIRE(range.nearest);
  CHECK(gpu::winograd_tc().supports(*range.nearest).ok);
}

TEST_CASE("winograd.cc refuses what it cannot do, with the nearest that it can") {
  const auto refuses = [](const Request& asked, const std::string& reason) {
    const Request all = complete(gpu::winograd_cc(), asked);
    const Support support = gpu::winograd_cc().supports(all);
    CHECK_FALSE(support.ok);
    CHECK_THAT(support.reason, Contains(reason));
    REQUIRE(support.nearest);
    CHECK(gpu::winograd_cc().supports(*support.nearest).ok);
  };
  ConvSpec strided = layer(1, 4, 9, 3);
  strided.stride_h = 2;
  refuses(request(ConvProblem(strided)), "winograd needs stride 1, got 2x1");
  refuses(request(ConvProblem(layer(1, 4, 9, 3)), "fuse=on,m=4"), "fuse=on needs F(2x2,3x3), got F(4x4,3x3)");
  refuses(request(ConvProblem(layer(1, 4, 9, 5)), "fuse=on"), "fuse=on needs F(2x2,3x3), got F(2x2,5x5)");
  refuses(request(ConvProblem(layer(1, 4, 20, 8)), "m=8"), "points");
  refuses(request(ConvProblem(layer(1, 4, 20, 10))), "points");
  Request half = request(ConvProblem(layer(1, 4, 9, 3)));
  half.dtype = DType::f16;
  refuses(half, "must be f32 on CUDA cores");
}
