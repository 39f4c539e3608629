// im2col, stored and implicit: its passes, its bytes and its two ways to multiply.
#include "algorithms/im2col/im2col.h"
#include "algorithms/im2win/im2win.h"
#include "algorithms/interface/registry.h"
#include "algorithms/peers/blas.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

std::shared_ptr<const Plan> im2col_plan(const ConvProblem& problem, const std::string& options,
                                        DType dtype = DType::f32, int threads = 1) {
  return im2col_ref().plan({problem, dtype, {}, OptionSet::parse(options, im2col_ref().options), {}, threads});
}

const ConvProblem kLayer(
    {.n = 5, .ci = 6, .hi = 20, .wi = 17, .co = 4, .hf = 3, .wf = 5, .pad_top = 1, .pad_left = 2, .groups = 2});

}  // namespace

TEST_CASE("the passes of im2col don't change a bit") {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const ConvProblem problem = random_problem(31, index);
    const DType dtype = kDTypes[index % kDTypes.size()];
    const Trial trial(problem, dtype, index);
    const std::vector<double> full = run(*im2col_plan(problem, "batching=full,gemm=loops", dtype), trial);
    INFO("layer " << index);
    for (const char* batching : {"image", "chunk", "tile", "chunk,chunk_images=2"})
      REQUIRE(same(full, run(*im2col_plan(problem, "gemm=loops,batching=" + std::string(batching), dtype), trial)));
  }
}

TEST_CASE("tiles of im2col that cut rows and columns") {
  // A row of the matrix is so long that a tile holds part of one output row only.
  const ConvProblem problem(
      {.n = 2, .ci = 1200, .hi = 6, .wi = 40, .co = 2, .hf = 5, .wf = 5, .pad_left = 1, .pad_right = 2});
  const auto tile = im2col_plan(problem, "batching=tile,gemm=loops");
  const Stage& matrix = tile->stages()[0];
  CHECK(matrix.axes[2].resident < problem.wo());
  CHECK(matrix.bytes() <= 512 * 1024);
  CHECK(matrix.passes() > 2 * problem.ho());
  const Trial trial(problem, DType::f32, 5);
  CHECK(same(run(*tile, trial), run(*im2col_plan(problem, "batching=full,gemm=loops"), trial)));
}

TEST_CASE("BLAS and loops both keep the promise of im2col, for every batching and layout") {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const ConvProblem problem = random_problem(32, index);
    for (DType dtype : {DType::f32, DType::f64}) {
      const Trial trial(problem, dtype, index);
      for (const char* options : {"batching=image", "batching=chunk", "batching=full", "batching=tile", "gemm=loops"})
        for (Layout y : kLayouts) {
          const auto plan = im2col_ref().plan({problem,
                                               dtype,
                                               {Layout::NCHW, FilterLayout::OIHW, y},
                                               OptionSet::parse(options, im2col_ref().options),
                                               {},
                                               1});
          INFO(options << " " << name(y) << ", layer " << index);
          REQUIRE(beyond_promise(*plan, trial, run(*plan, trial)) == "");
        }
    }
  }
}

TEST_CASE("im2col holds as many rows at a time as its batching says") {
  const std::int64_t row = 6 * 15 * 4, pixels = kLayer.ho() * kLayer.wo();
  CHECK(im2col_plan(kLayer, "batching=image")->stages()[0].bytes() == pixels * row);
  CHECK(im2col_plan(kLayer, "batching=image")->stages()[0].passes() == 5);
  CHECK(im2col_plan(kLayer, "batching=chunk,chunk_images=2")->stages()[0].bytes() == 2 * pixels * row);
  CHECK(im2col_plan(kLayer, "batching=chunk,chunk_images=2")->stages()[0].passes() == 3);
  CHECK(im2col_plan(kLayer, "batching=chunk,chunk_images=8")->stages()[0].passes() == 1);
  CHECK(im2col_plan(kLayer, "batching=full")->stages()[0].bytes() == 5 * pixels * row);
  CHECK(im2col_plan(kLayer, "batching=full")->stages()[0].passes() == 1);
  CHECK(im2col_plan(kLayer, "batching=tile")->stages()[0].bytes() <= 512 * 1024);
  CHECK(im2col_plan(kLayer, "")->executed_flops() == kLayer.flops());
}

TEST_CASE("the plan says who multiplies") {
  CHECK(im2col_plan(kLayer, "gemm=loops")->notes()[0] == "gemm: loops");
  const std::string by_default = im2col_plan(kLayer, "")->notes()[0];
  CHECK(by_default == (blas::available() ? "gemm: " + blas::name() : "gemm: loops (built without BLAS)"));
  if (blas::available()) CHECK(im2col_plan(kLayer, "", DType::f16)->notes()[0] == "gemm: loops (BLAS has no f16)");
}

TEST_CASE("a 2800×2800 layer is planned in 64 bits, without an allocation") {
  const ConvProblem problem(padded(1, {.n = 1, .ci = 32, .hi = 2800, .wi = 2800, .co = 4, .hf = 3, .wf = 3}));
  CHECK(im2col_plan(problem, "")->stages()[0].bytes() == 9031680000);
  CHECK(im2win_ref().plan({problem})->stages()[0].bytes() == 3012710400);
  CHECK(implicit_gemm_ref().plan({problem})->workspace_bytes() == 0);

  Request limited{problem};
  limited.memory_limit = std::int64_t{8} << 30;
  const Support refused = im2col_ref().supports(limited);
  CHECK_FALSE(refused);
  CHECK_THAT(refused.reason, Catch::Matchers::Contains("9031680000"));
  CHECK(im2win_ref().supports(limited));
  CHECK(implicit_gemm_ref().supports(limited));
}

TEST_CASE("implicit GEMM knows the im2col matrix and stores nothing") {
  const auto plan = implicit_gemm_ref().plan({kLayer});
  CHECK(plan->workspace_bytes() == 0);
  CHECK(plan->workspace().empty());
  REQUIRE(plan->stages().size() == 1);
  CHECK_FALSE(plan->stages()[0].stored);
  CHECK(plan->stages()[0].bytes() == 0);
  CHECK(plan->stages()[0].cells() == 5 * kLayer.ho() * kLayer.wo() * 6 * 15);
  CHECK(plan->executed_flops() == kLayer.flops());
}
