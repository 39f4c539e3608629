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
  return candidates(runs_to_choose_from(), request).ranked;
}

const Candidate* find(const std::vector<Candidate>& ranked, const std::string& run) {
  const auto found = std::ranges::find_if(ranked, [&](const Candidate& c) { return c.plan->run_name() == run; });
  return found == ranked.end() ? nullptr : &*found;
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
  CHECK(Estimate{.arithmetic_ms = 1, .memory_ms = 2, .transform_ms = 3}.bound() == "packing and transforms");
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
  const Choice small = candidates(runs_to_choose_from(), request);
  CHECK(small.ranked.size() < all.size());
  for (const Candidate& c : small.ranked) CHECK(c.plan->workspace_bytes() <= 100);
  CHECK(small.smallest == nullptr);
  CHECK(std::ranges::any_of(small.refused.reasons(),
                            [](const auto& r) { return r.first.find("memory limit") != r.first.npos; }));
}

TEST_CASE("a run that needs too much memory is looked at with options that need less") {
  Request request{kLayer, DType::f32, {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC}};
  request.threads = 2;
  const auto bytes = [&](const std::string& run) {
    Request own = request;
    own.options = parse_run(run).options;
    own.memory_limit = std::nullopt;
    return parse_run(run).algorithm->plan(own)->workspace_bytes();
  };
  REQUIRE(bytes("direct.cpu:pack=off") < bytes("direct.cpu"));
  request.memory_limit = request.tensor_bytes() + bytes("direct.cpu:pack=off");
  const std::vector<Candidate> ranked = candidates_of(request);
  const Candidate* const lighter = find(ranked, "direct.cpu:pack=off");
  REQUIRE(lighter != nullptr);
  REQUIRE(lighter->instead_of != nullptr);
  CHECK(lighter->instead_of->run_name() == "direct.cpu");
  CHECK(lighter->estimate);  // rows.model knows it
  CHECK(find(ranked, "direct.cpu") == nullptr);
  for (const Candidate& c : ranked) {
    INFO(c.plan->run_name());
    CHECK(c.plan->workspace_bytes() + request.tensor_bytes() <= *request.memory_limit);
    CHECK(c.estimate.has_value() == c.no_model.empty());
  }

  SECTION("options that were asked for stay as they are") {
    const Choice fixed = candidates({parse_run("direct.cpu:pack=on")}, request);
    CHECK(fixed.ranked.empty());
    REQUIRE(fixed.smallest != nullptr);
    CHECK(fixed.smallest->request().options.is("pack", "on"));
  }
  SECTION("where nothing fits, the least that would is known") {
    request.memory_limit = request.tensor_bytes() + bytes("direct.cpu:pack=off") - 1;
    const Choice none = candidates({parse_run("direct.cpu")}, request);
    CHECK(none.ranked.empty());
    REQUIRE(none.smallest != nullptr);
    CHECK(none.smallest->workspace_bytes() == bytes("direct.cpu:pack=off"));
  }
  SECTION("several options are changed where one is not enough") {
    request.threads = 8;
    const std::int64_t off = bytes("im2win.cpu:pack=off"), both = bytes("im2win.cpu:pack=off,threads=one");
    REQUIRE(both < off);
    request.memory_limit = request.tensor_bytes() + both;
    const Choice choice = candidates({parse_run("im2win.cpu")}, request);
    CHECK(find(choice.ranked, "im2win.cpu:threads=one,pack=off") != nullptr);
  }
}

TEST_CASE("lighter options are looked at only where memory is short") {
  for (const Run& run : runs_to_choose_from())
    for (const Option& option : run.algorithm->options)
      if (option.ablation) CHECK(run.options.is(option.id, option.default_value));
}

TEST_CASE("what the model does not know is said, and comes after what it knows") {
  const auto none = [](const std::string& run, const Request& request) {
    const Choice choice = candidates({parse_run(run), parse_run("direct.cpu")}, request);
    REQUIRE(choice.ranked.size() == 2);
    CHECK(choice.ranked.front().estimate);
    return choice.ranked.back().no_model;
  };
  const ConvProblem depthwise({.ci = 4, .hi = 5, .wi = 5, .co = 4, .hf = 3, .wf = 3, .groups = 4});
  CHECK(none("direct.cpu:simd=off,pack=off", {kLayer}) == "simd=off,pack=off");
  CHECK(none("fft.cpu", {depthwise}) == "depthwise layers");
  CHECK(none("direct.cpu:pack=off", {depthwise}) == "depthwise layers");
}

TEST_CASE("of an empty batch the model expects nothing") {
  for (const Candidate& c : candidates_of({kLayer.with_batch(0)})) {
    CHECK_FALSE(c.estimate);
    CHECK(c.no_model.empty());
  }
}

TEST_CASE("a contest keeps its samples, and the ruler's advice is given on them") {
  std::vector<Candidate> ranked = candidates({parse_run("direct.cpu")}, {kLayer}).ranked;
  measure(ranked, {.repeats = 4, .seconds = 0});
  REQUIRE(ranked.front().timing.samples_ms.size() > 4);
  CHECK(ranked.front().timing.min_ms() == ranked.front().measured_ms);

  Request two{kLayer};
  two.threads = 2;
  std::vector<Candidate> quiet = candidates({parse_run("direct.cpu"), parse_run("im2win.cpu")}, two).ranked;
  REQUIRE(quiet.size() == 2);
  for (Candidate& c : quiet) c.timing.samples_ms = {1, 1, 1};
  CHECK(advice_on_waiting(quiet) == "");
  quiet.back().timing.samples_ms = {1, 2, 3};
  CHECK(advice_on_waiting(quiet) == advice_on_waiting(quiet.back().timing, 2));  // said unless the user has chosen
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

TEST_CASE("the refusal that tells most is about the layer, not about a type that the row never computes") {
  const Run run = parse_run("winograd.cpu");
  const ConvProblem strided({.ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3, .stride_h = 2, .stride_w = 2});
  Refusals refusals;
  CHECK(refusals.line() == "");
  const auto refuse = [&](DType dtype) {
    const Request request{strided, dtype, {}, run.options};
    refusals.add(*run.algorithm, request, run.algorithm->supports(request).reason);
  };
  for (int times = 0; times < 3; ++times) refuse(DType::bf16);
  CHECK(refusals.line() == "dtype: bf16, the fast CPU rows compute f32");
  refuse(DType::f32);
  CHECK(refusals.line() == "winograd needs stride 1, got 2x2 (and 1 other reason)");
  refuse(DType::f16);
  CHECK(refusals.line() == "winograd needs stride 1, got 2x2 (and 2 other reasons)");
  CHECK(refusals.count() == 5);
  Refusals twice = refusals;
  twice.add(refusals);
  CHECK(twice.count() == 10);
  CHECK(twice.line() == refusals.line());
}
