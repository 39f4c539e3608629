// winograd.cpu on random layers: its promise, the same bits however the work is cut, and what it refuses.
#include "algorithms/interface/registry.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"
#include "tests/winograd/harness.h"

namespace {

using namespace convlens;
using convlens::testing::Trial;

std::shared_ptr<const Plan> plan_of(const ConvProblem& problem, const std::string& options,
                                    Layout layout = Layout::NHWC, int threads = 1) {
  const FilterLayout filter = layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW;
  return winograd_cpu().plan({.problem = problem,
                              .layouts = {layout, filter, layout},
                              .options = OptionSet::parse(options, winograd_cpu().options),
                              .threads = threads});
}

// With channels on both sides of a vector and of a panel, and images on both sides of a block.
ConvProblem random_layer(std::uint64_t index) {
  std::uint64_t counter = index << 16;
  const auto draw = [&](std::int64_t least, std::int64_t most) { return random_integer(23, counter++, least, most); };
  while (true) {
    ConvSpec s{.n = draw(1, 3), .hi = draw(1, 23), .wi = draw(1, 23), .bias = draw(0, 1) == 1};
    s.groups = draw(0, 2) == 0 ? draw(2, 3) : 1;
    s.ci = s.groups * draw(1, draw(0, 1) == 0 ? 4 : 37), s.co = s.groups * draw(1, draw(0, 1) == 0 ? 4 : 70);
    s.hf = draw(1, 5), s.wf = draw(1, 5);
    s.pad_top = draw(0, 3), s.pad_bottom = draw(0, 3), s.pad_left = draw(0, 3), s.pad_right = draw(0, 3);
    if (s.hf * s.wf == 1 || !broken_rules(s).empty()) continue;
    const ConvProblem problem(s);
    if (problem.multiplications() <= 2'000'000) return problem;
  }
}

}  // namespace

TEST_CASE("winograd.cpu keeps its promise on random layers, with the same bits for any order, block and thread") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    const ConvProblem problem = random_layer(index);
    const Layout layout = kLayouts[index % kLayouts.size()];
    const Trial trial(problem, DType::f32, 100 + index);
    for (const std::string m : {"m=4", "m=2", "m=6", "m=2,points=0,1/2,-3,2"}) {
      const Request request{.problem = problem, .options = OptionSet::parse(m, winograd_cpu().options)};
      if (!winograd_cpu().supports(request)) continue;  // such points are for filters of four taps
      INFO(m << ", layer " << index);
      const auto plan = plan_of(problem, m, layout);
      const std::vector<double> y = convlens::testing::run(*plan, trial);
      REQUIRE(convlens::testing::beyond_promise(*plan, trial, y) == "");
      for (const char* choice : {",fuse=tiles", ",fuse=panels", ",fuse=stored", ",cache_block=off",
                                 ",register_tile=off", ",prefetch=off", ",threads=one"})
        REQUIRE(convlens::testing::same(y, convlens::testing::run(*plan_of(problem, m + choice, layout, 2), trial)));
      REQUIRE(convlens::testing::same(y, convlens::testing::run(*plan_of(problem, m, layout, 3), trial, index + 1)));
      const auto scalar = plan_of(problem, m + ",simd=off", layout);
      REQUIRE(convlens::testing::beyond_promise(*scalar, trial, convlens::testing::run(*scalar, trial)) == "");
    }
  }
}

TEST_CASE("winograd.cpu keeps in memory what its order says") {
  // 16 images of 7×7 tiles of 128 channels: V is larger than P; one image of 3×3 tiles of 256: P is.
  const ConvProblem large({.n = 16, .ci = 128, .hi = 28, .wi = 28, .co = 128, .hf = 3, .wf = 3});
  const ConvProblem small({.n = 1, .ci = 256, .hi = 12, .wi = 12, .co = 256, .hf = 3, .wf = 3});
  const auto bytes = [](const Plan& plan, std::string_view name) {
    for (const Buffer& buffer : plan.workspace())
      if (buffer.name == name) return buffer.bytes;
    return std::int64_t{-1};
  };
  // A panel has a row, and a tile of V has 16 floats, more than there are channels: an odd number of cache lines.
  const std::int64_t all_p = 36 * (128 + 1) * 128 * 4, all_v = 36 * 9 * (256 + 16) * 4;
  CHECK(bytes(*plan_of(large, "", Layout::NHWC, 2), "panels") == all_p);
  CHECK(bytes(*plan_of(large, "", Layout::NHWC, 2), "V") < 2 * 512 * 1024);
  CHECK(bytes(*plan_of(small, "", Layout::NHWC, 2), "V") == all_v);
  CHECK(bytes(*plan_of(small, "", Layout::NHWC, 2), "panels") < 36 * 256 * 256 * 4);
  CHECK(bytes(*plan_of(large, "fuse=stored"), "V") == 36 * 16 * 49 * (128 + 16) * 4);
  CHECK(bytes(*plan_of(large, ""), "U") == -1);
  CHECK(bytes(*plan_of(large, ""), "nhwc") == -1);
  CHECK(bytes(*plan_of(large, "", Layout::NCHW), "nhwc") == 16 * 128 * 28 * 28 * 4);
}

TEST_CASE("winograd.cpu refuses in words what it does not compute") {
  const auto refusal = [](const ConvSpec& spec, DType dtype = DType::f32) {
    return winograd_cpu().supports({.problem = ConvProblem(spec), .dtype = dtype});
  };
  const ConvSpec layer{.ci = 4, .hi = 30, .wi = 30, .co = 4, .hf = 3, .wf = 3};
  ConvSpec strided = layer, long_filter = layer;
  strided.stride_h = 2;
  long_filter.hf = 9;
  CHECK(refusal(layer).ok);
  CHECK(refusal(layer, DType::f16).reason == "dtype: f16, the fast CPU rows compute f32");
  CHECK(refusal(strided).reason == "winograd needs stride 1, got 2x1");
  CHECK(refusal(long_filter).reason == "winograd needs m + filter - 1 <= 10 points, got m 4 with a filter of 9x3");
  for (const Support& support : {refusal(layer, DType::bf16), refusal(strided, DType::f16), refusal(long_filter)}) {
    REQUIRE(support.nearest);
    CHECK(winograd_cpu().supports(*support.nearest).ok);
  }
}
