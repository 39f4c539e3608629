// The loop nest of the fast rows: how much memory packing the filter by block takes, and that nothing else depends on
// it.
#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/draw.h"
#include "tests/support/run_row.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

const std::vector<std::string> kRows{"direct.cpu", "im2win.cpu", "im2col.cpu", "implicit_gemm.cpu"};

std::shared_ptr<const Plan> plan_of(const std::string& run, const ConvProblem& problem, int threads) {
  const Run parsed = parse_run(run);
  Request request{problem, DType::f32, {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC}, parsed.options};
  request.threads = threads;
  return parsed.algorithm->plan(request);
}

bool packs_before_the_loops(const Plan& plan) {
  for (const std::string& note : plan.notes())
    if (note.starts_with("packed before the loops")) return true;
  return false;
}

// Small and large filters, on images of a few rows.
ConvProblem some_layer(std::uint64_t seed) {
  const auto draw = [&](std::uint64_t k, std::int64_t least, std::int64_t most) {
    return random_integer(seed, k, least, most);
  };
  ConvSpec s{.n = draw(0, 1, 3), .hi = draw(1, 5, 20), .wi = draw(2, 5, 20), .hf = draw(3, 1, 5), .wf = draw(4, 1, 5)};
  s.ci = draw(5, 0, 2) == 0 ? draw(6, 1, 8) : 32 * draw(6, 1, 8);
  s.co = draw(7, 0, 1) == 0 ? draw(8, 1, 40) : 32 * draw(8, 1, 10);
  s.pad_top = s.pad_left = draw(9, 0, 1);
  return ConvProblem(s);
}

}  // namespace

TEST_CASE("packing by block never takes more memory than packing before the loops") {
  int smaller = 0, bounded = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const std::string& row : kRows)
      for (const int threads : {1, 2, 16}) {
        const ConvProblem problem = some_layer(seed);
        const auto block = plan_of(row + ":pack=block", problem, threads),
                   on = plan_of(row + ":pack=on", problem, threads);
        INFO(row << ", seed " << seed << ", " << threads << " threads");
        CHECK(block->workspace_bytes() <= on->workspace_bytes());
        smaller += block->workspace_bytes() < on->workspace_bytes();
        bounded += packs_before_the_loops(*block);
        CHECK_FALSE(packs_before_the_loops(*on));
      }
  CHECK(smaller > 50);  // both kinds are among the layers
  CHECK(bounded > 50);
}

TEST_CASE("whether packing by block is bounded changes no bit of the result") {
  // So many channels are taken in pieces. What one thread holds is less than the packed filter, what many hold is more.
  const ConvProblem problem(
      {.n = 2, .ci = 128, .hi = 3, .wi = 3, .co = 70, .hf = 3, .wf = 3, .pad_top = 1, .bias = true});
  const Trial trial(problem, DType::f32, 5);
  for (const std::string& row : kRows) {
    INFO(row);
    const auto few = plan_of(row + ":pack=block", problem, 1), many = plan_of(row + ":pack=block", problem, 16);
    CHECK_FALSE(packs_before_the_loops(*few));
    CHECK(packs_before_the_loops(*many));
    const std::vector<double> y = run(*few, trial);
    CHECK(beyond_promise(*few, trial, y) == "");
    CHECK(same(y, run(*many, trial)));
  }
}
