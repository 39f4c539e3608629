// Choosing a row: the model's arithmetic, its data, and the contest.
#include "algorithms/measure/choose.h"

#include <algorithm>
#include <cmath>

#include "algorithms/measure/ledger.h"
#include "tests/catch.h"
#include "tests/support/rows.h"

using namespace convlens;

namespace {

const ConvProblem kLayer({.n = 2, .ci = 8, .hi = 20, .wi = 18, .co = 16, .hf = 3, .wf = 3, .pad_top = 1});

std::vector<Candidate> candidates_of(const Request& request) {
  std::map<std::string, std::int64_t> refused;
  return candidates(runs_to_choose_from(), request, refused);
}

}  // namespace

TEST_CASE("the model's terms are FLOPs over arithmetic, and bytes over bandwidth") {
  const Run run = parse_run("direct.cpu");
  const auto plan = run.algorithm->plan({kLayer, DType::f32, {}, run.options});
  const Ceilings ceilings{.gflops = 100, .gbytes = 10, .vectors = "none"};
  const Estimate e = estimate(*plan, {run, {}, {}, 0.5, 2}, ceilings);
  CHECK(e.arithmetic_ms == Approx(static_cast<double>(plan->executed_flops()) / 0.5 / 100e6));
  CHECK(e.transform_ms == Approx(static_cast<double>(workspace_traffic(*plan)) / 2 / 10e6));
  CHECK(e.ms() == std::max(e.arithmetic_ms, e.memory_ms) + e.transform_ms);
  CHECK(e.roofline_ms == Approx(std::max(e.arithmetic_ms / 2, e.memory_ms)));
  CHECK(Estimate{.arithmetic_ms = 2, .memory_ms = 1, .transform_ms = 1}.bound() == "arithmetic");
  CHECK(Estimate{.arithmetic_ms = 1, .memory_ms = 2, .transform_ms = 1}.bound() == "memory");
  CHECK(Estimate{.arithmetic_ms = 1, .memory_ms = 2, .transform_ms = 3}.bound() == "transforms");
}

TEST_CASE("the model's data name rows that there are, and hold for the layouts and layers that they say") {
  REQUIRE(row_models().size() > 10);
  for (const RowModel& model : row_models()) {
    INFO(run_name(*model.run.algorithm, model.run.options));
    CHECK(model.efficiency > 0);
    CHECK(model.transform > 0);
  }
  const Run run = parse_run("direct.cpu");
  const RowModel nhwc{run, Layout::NHWC, {}, 1, 1}, depthwise{run, {}, true, 1, 1};
  const ConvProblem one_channel({.ci = 4, .hi = 5, .wi = 5, .co = 4, .hf = 3, .wf = 3, .groups = 4});
  CHECK_FALSE(nhwc.fits({kLayer}));
  CHECK(nhwc.fits({kLayer, DType::f32, {Layout::NHWC}}));
  CHECK_FALSE(depthwise.fits({kLayer}));
  CHECK(depthwise.fits({one_channel}));
}

TEST_CASE("every row that this machine can run can be chosen, a row without a model by measuring it") {
  const std::vector<Run> runs = runs_to_choose_from();
  for (const Algorithm* row : testing::rows_here()) {
    INFO(row->id);
    CHECK(std::ranges::any_of(runs, [&](const Run& run) { return run.algorithm == row; }));
  }
}

TEST_CASE("candidates are ranked by the model, and those that do not fit are counted with their reason") {
  Request request{kLayer, DType::f32, {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC}};
  const std::vector<Candidate> all = candidates_of(request);
  REQUIRE(all.size() > 5);
  for (std::size_t k = 1; k < all.size(); ++k)
    if (all[k].estimate) CHECK(all[k - 1].estimate->ms() <= all[k].estimate->ms());

  request.memory_limit = request.tensor_bytes() + 100;  // for rows that need next to nothing besides
  std::map<std::string, std::int64_t> refused;
  const std::vector<Candidate> small = candidates(runs_to_choose_from(), request, refused);
  CHECK(small.size() < all.size());
  for (const Candidate& c : small) CHECK(c.plan->workspace_bytes() <= 100);
  CHECK(std::ranges::any_of(refused, [](const auto& r) { return r.first.find("memory limit") != r.first.npos; }));
}

TEST_CASE("a contest ranks by the least sample, and says who was left out and why") {
  std::vector<Candidate> ranked = candidates_of({kLayer});
  const std::string best_model = ranked.front().plan->run_name();
  measure(ranked, {.repeats = 4, .seconds = 0});
  bool seen = false;
  for (std::size_t k = 0; k < ranked.size(); ++k) {
    const bool measured = !std::isnan(ranked[k].measured_ms);
    CHECK((measured || !ranked[k].left_out.empty()));
    if (k > 0 && measured) CHECK(ranked[k - 1].measured_ms <= ranked[k].measured_ms);
    seen = seen || (measured && ranked[k].plan->run_name() == best_model);
  }
  CHECK(seen);  // the model's first is always measured
}
