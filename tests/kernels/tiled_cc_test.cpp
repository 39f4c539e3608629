// im2win.cc, implicit_gemm.cc and direct.cc without a GPU: how their blocks share out y, what they keep in memory, and
// what they refuse.
#include "algorithms/im2win/im2win.h"
#include "algorithms/interface/registry.h"
#include "kernels/direct/direct.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2win/im2win.h"
#include "kernels/program.h"
#include "tests/catch.h"
#include "tests/kernels/launch_tiles.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const Algorithm& row, const ConvProblem& problem, const std::string& options = "",
                Layout layout = Layout::NCHW) {
  return complete(row,
                  {problem, DType::f32, {layout, FilterLayout::OIHW, layout}, OptionSet::parse(options, row.options)});
}

}  // namespace

TEST_CASE("the tiles of im2win.cc, implicit_gemm.cc and direct.cc cover y, each cell once") {
  for (const Algorithm* row : {&gpu::im2win_cc(), &gpu::implicit_gemm_cc(), &gpu::direct_cc()})
    for (const Layout layout : kLayouts)
      for (std::uint64_t index = 0; index < 150; ++index) {
        const ConvProblem problem = random_problem(71, index, 40, 200000);
        INFO(row->id << " " << name(layout) << " layer " << index);
        const std::vector<int> times = times_computed(*row->plan(request(*row, problem, "", layout)));
        REQUIRE(std::ranges::all_of(times, [](int count) { return count == 1; }));
      }
}

TEST_CASE("the ladder of the tiled rows is named option sets, each with one idea more than the one before") {
  const std::vector<std::string> rungs{"shared", "micro", "vectorised", "double_buffered"};
  for (const Algorithm* row : {&gpu::im2win_cc(), &gpu::implicit_gemm_cc(), &gpu::direct_cc()}) {
    INFO(row->id);
    const auto options = [&](const std::string& name) { return parse_run(row->id + ":" + name).options; };
    for (const std::string& rung : rungs) {
      CHECK(options(rung)["tile"] == (rung == "shared" ? "64x64/4x4" : "auto"));
      CHECK(options(rung).is("vector_io", rung == "vectorised" || rung == "double_buffered" ? "on" : "off"));
      CHECK(options(rung).is("double_buffer", rung == "double_buffered" ? "on" : "off"));
    }
    CHECK(run_name(*row, options("double_buffered")) == row->id);
    if (row == &gpu::implicit_gemm_cc()) {
      CHECK_THROWS_WITH(options("naive"), Contains("naive") && Contains("shared"));
    } else {
      CHECK(run_name(*row, options("naive")) == row->id + ":tiling=naive");
      CHECK(options("shared").is("tiling", "registers"));
    }
  }
  CHECK(parse_run("im2win.cc:micro,window=stored").options.is("window", "stored"));
}

TEST_CASE("im2win.cc stores the im2win tensor only when asked to, in the order of x's layout") {
  const ConvProblem problem({.n = 5, .ci = 3, .hi = 11, .wi = 13, .co = 7, .hf = 3, .wf = 4});
  const auto fused = gpu::im2win_cc().plan(request(gpu::im2win_cc(), problem));
  REQUIRE(fused->workspace().size() == 1);
  CHECK(fused->workspace()[0].name == "filter");
  const std::int64_t bytes = im2win_stage(problem, DType::f32, WindowOrder::NCHW).bytes();
  for (const auto& [layout, fastest] : {std::pair{Layout::NCHW, 4}, {Layout::NHWC, 1}, {Layout::CHWN, 0}}) {
    const auto stored = gpu::im2win_cc().plan(request(gpu::im2win_cc(), problem, "window=stored", layout));
    CHECK(stored->workspace()[0].name == "im2win");
    CHECK(stored->workspace()[0].bytes == bytes);
    CHECK(stored->stages()[0].axes[static_cast<std::size_t>(fastest)].stride == 1);
  }
}

TEST_CASE("the stride of a single output column costs no shared memory") {
  ConvSpec spec{.n = 4, .ci = 2, .hi = 9, .wi = 9, .co = 3, .hf = 3, .wf = 3};
  spec.stride_w = 1'000'000'000;
  for (const Algorithm* row : {&gpu::im2win_cc(), &gpu::direct_cc()})
    CHECK(product(*row->plan(request(*row, ConvProblem(spec)))).shared_bytes < 1 << 16);
}

TEST_CASE("tiled rows refuse in words what their offsets and a block's memory cannot hold") {
  const ConvProblem many({.n = 1024, .ci = 64, .hi = 224, .wi = 224, .co = 1, .hf = 3, .wf = 3});
  CHECK_THAT(gpu::implicit_gemm_cc().supports(request(gpu::implicit_gemm_cc(), many)).reason,
             Contains("x: 3288334336 elements, must be ≤ 2147418112"));
  const ConvProblem stored({.n = 256, .ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 7, .wf = 7, .stride_h = 2});
  CHECK_THAT(gpu::im2win_cc().supports(request(gpu::im2win_cc(), stored, "window=stored")).reason,
             Contains("window: stored, the im2win tensor: ") && Contains("must be ≤ 2147418112"));
  const ConvProblem filters({.n = 1, .ci = 65536, .hi = 1, .wi = 1, .co = 65536, .hf = 1, .wf = 1});
  for (const Algorithm* row : {&gpu::im2win_cc(), &gpu::implicit_gemm_cc(), &gpu::direct_cc()})
    CHECK_THAT(row->supports(request(*row, filters)).reason, Contains("w: 4294967296 elements, must be ≤ 2147418112"));
  const ConvProblem packed({.n = 1, .ci = 65537, .hi = 1, .wi = 1, .co = 32766, .hf = 1, .wf = 1});
  CHECK_THAT(gpu::im2win_cc().supports(request(gpu::im2win_cc(), packed)).reason,
             Contains("packed filter: ") && Contains("must be ≤ 2147418112"));
  CHECK(gpu::im2win_cc().supports(request(gpu::im2win_cc(), packed, "pack_filter=off")).ok);
  // One image in CHWN counts as a unit of four.
  const ConvProblem picture({.n = 1, .ci = 1, .hi = 32768, .wi = 32768, .co = 1, .hf = 1, .wf = 1});
  CHECK_THAT(gpu::implicit_gemm_cc().supports(request(gpu::implicit_gemm_cc(), picture, "", Layout::CHWN)).reason,
             Contains("y, in whole tiles: 4294967296 pixels, must be ≤ 2147418112"));
  const ConvProblem wide({.n = 4, .ci = 1, .hi = 1, .wi = 9000, .co = 1, .hf = 1, .wf = 9000});
  CHECK_THAT(gpu::im2win_cc().supports(request(gpu::im2win_cc(), wide)).reason,
             Contains("shared memory of im2win_cc") && Contains("must be ≤ 101376"));
}
