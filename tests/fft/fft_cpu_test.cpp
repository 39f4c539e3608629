// fft.cpu on random layers: its promise, the same bits however the work is cut, and what it refuses.
#include "algorithms/fft/fft.h"
#include "algorithms/fft/fft_panels.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"
#include "tests/support/run_row.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

Request request_of(const ConvProblem& problem, const std::string& options, Layout layout = Layout::NHWC,
                   int threads = 1) {
  return {.problem = problem,
          .layouts = {layout, FilterLayout::OHWI, layout},
          .options = OptionSet::parse(options, fft_cpu().options),
          .threads = threads};
}

}  // namespace

TEST_CASE("fft.cpu keeps its promise on random layers, with the same bits for any order, block and thread") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    const ConvProblem problem = random_problem(31, index, 30, 200000);
    const Layout layout = kLayouts[index % kLayouts.size()];
    const Trial trial(problem, DType::f32, 700 + index);
    for (const std::string tile : {"tile=auto", "tile=8", "tile=16", "tile=32"}) {
      const Request request = request_of(problem, tile, layout);
      if (!fft_cpu().supports(request)) continue;  // the filter is longer than the tile
      INFO(tile << ", layer " << index);
      const auto plan = fft_cpu().plan(request);
      const std::vector<double> y = run(*plan, trial);
      REQUIRE(beyond_promise(*plan, trial, y) == "");
      for (const char* choice :
           {",fuse=tiles", ",fuse=panels", ",fuse=stored", ",cache_block=off", ",register_tile=off", ",threads=one"})
        REQUIRE(same(y, run(*fft_cpu().plan(request_of(problem, tile + choice, layout, 2)), trial)));
      REQUIRE(same(y, run(*fft_cpu().plan(request_of(problem, tile, layout, 3)), trial, index + 1)));
      const auto scalar = fft_cpu().plan(request_of(problem, tile + ",simd=off", layout));
      REQUIRE(beyond_promise(*scalar, trial, run(*scalar, trial)) == "");
    }
  }
}

TEST_CASE("fft.cpu fills whole panels: many channels, groups, and outputs on both sides of a panel") {
  std::uint64_t seed = 40;
  for (std::int64_t groups : {1, 3})
    for (std::int64_t channels : {2, 17, 40})
      for (std::int64_t outputs : {1, 31, 33, 70}) {
        const ConvProblem problem({.n = 2,
                                   .ci = groups * channels,
                                   .hi = 9,
                                   .wi = 13,
                                   .co = groups * outputs,
                                   .hf = 3,
                                   .wf = 2,
                                   .pad_top = 1,
                                   .pad_right = 2,
                                   .groups = groups,
                                   .bias = true});
        const Trial trial(problem, DType::f32, ++seed);
        CAPTURE(groups, channels, outputs);
        for (const char* options : {"fuse=tiles", "fuse=panels", "fuse=stored"}) {
          const auto plan = fft_cpu().plan(request_of(problem, options));
          REQUIRE(beyond_promise(*plan, trial, run(*plan, trial)) == "");
        }
      }
}

TEST_CASE("fft.cpu takes the tile of the fewest FLOPs, and refuses filters that are longer than all tiles") {
  const auto notes = [](const ConvSpec& spec, const char* options) {
    return fft_cpu().plan(request_of(ConvProblem(spec), options))->notes()[0];
  };
  const ConvSpec small{.ci = 4, .hi = 6, .wi = 6, .co = 4, .hf = 3, .wf = 3};
  const ConvSpec large{.n = 4, .ci = 4, .hi = 240, .wi = 240, .co = 4, .hf = 9, .wf = 9};
  CHECK(notes(small, "") == "transform: 8x8 points, 1x1 tiles");
  CHECK(notes(large, "") == "transform: 32x32 points, 10x10 tiles");
  CHECK(notes(small, "tile=16") == "transform: 16x16 points, 1x1 tiles");

  ConvSpec dilated = large;
  dilated.dilation_h = 5;
  const Support refused = fft_cpu().supports(request_of(ConvProblem(dilated), ""));
  CHECK(refused.reason == "fft: tile 32, must be ≥ the dilated filter's extent 41x9");
  CHECK_FALSE(refused.nearest);
  const Support short_tile = fft_cpu().supports(request_of(ConvProblem(large), "tile=8"));
  CHECK(short_tile.reason == "fft: tile 8, must be ≥ the dilated filter's extent 9x9");
  REQUIRE(short_tile.nearest);
  CHECK(fft_cpu().supports(*short_tile.nearest));
}
