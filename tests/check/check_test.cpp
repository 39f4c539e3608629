// The checker must fail where a row computes something wrong, in the promise that the mistake breaks, and pass where
// all is right.
#include "algorithms/check/check.h"

#include <cmath>

#include "algorithms/check/bounds.h"
#include "algorithms/check/fuzz.h"
#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/rows.h"
#include "tests/support/spoilt.h"
#include "tests/support/verdicts.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// K = 4608.
const ConvProblem kLong({.ci = 512, .hi = 4, .wi = 5, .co = 3, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 1});

Algorithm dropped_tap(const Shape& tap) {
  return spoilt_inputs("dropped_tap", [tap](const TensorView&, const TensorView& w) { set(w, tap, 0); });
}

double with_ten_bits(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [½, 1): 11 bits with the hidden one
  return std::ldexp(std::nearbyint(fraction * 2048) / 2048, exponent);
}

}  // namespace

TEST_CASE("the checker finds one dropped tap of one channel, at any length of the reduction", "[check]") {
  for (DType dtype : kDTypes) {
    CHECK(breaks(dropped_tap({3, 5, 2, 0}), {kSmall, dtype}, "exact"));
    CHECK(breaks(dropped_tap({1, 317, 1, 2}), {kLong, dtype}, "exact"));
  }
}

TEST_CASE("the checker finds a swapped row", "[check]") {
  const Algorithm row = spoilt_output("swapped_row", [](const TensorView& y) {
    for (std::int64_t q = 0; q < y.shape[3]; ++q) {
      const double upper = get(y, {1, 2, 1, q}), lower = get(y, {1, 2, 2, q});
      set(y, {1, 2, 1, q}, lower);
      set(y, {1, 2, 2, q}, upper);
    }
  });
  ConvSpec spec = kSmall.spec();
  spec.hi = 40;  // so that the smaller problem of the non-finite check has these rows too
  for (DType dtype : kDTypes) CHECK(breaks(row, {ConvProblem(spec), dtype}, "exact"));
}

TEST_CASE("the checker finds TF32 where f32 is promised", "[check]") {
  const Algorithm row = spoilt_inputs("tf32", [](const TensorView& x, const TensorView& w) {
    for (const TensorView& view : {x, w})
      for_each(view.shape, [&](const Shape& at) { set(view, at, with_ten_bits(get(view, at))); });
  });
  for (const ConvProblem& problem : {kSmall, kLong}) {
    CHECK(breaks(row, {problem, DType::f32}, "likely"));
    CHECK(verdict(checked(row, {problem, DType::f32}), "exact").kept);  // small integers have fewer bits
  }
}

TEST_CASE("the checker finds an error of ten bounds", "[check]") {
  const Algorithm row = spoilt("ten_bounds", [](const Spoiling& s) {
    s.compute(s.arguments);
    const DType dtype = s.arguments.x.dtype;
    const std::size_t output = 3;  // y(0, 0, 0, 3)
    OracleCache::Entry entry;
    entry.inputs.x = converted(s.arguments.x, dtype, Layout::NCHW);
    entry.inputs.w = converted(s.arguments.w, dtype, FilterLayout::OIHW);
    entry.answer = oracle(s.problem, entry.inputs);
    const double bound = worst_case_bounds(*direct_ref().plan({s.problem, dtype}), entry)[output];
    const Shape at{0, 0, 0, static_cast<std::int64_t>(output)};
    set(s.arguments.y, at, get(s.arguments.y, at) + 10 * bound);
  });
  ConvSpec spec = kSmall.spec();
  spec.bias = false;
  for (const ConvProblem& problem : {ConvProblem(spec), kLong})
    for (DType dtype : kDTypes) {
      CHECK(breaks(row, {problem, dtype}, "worst"));
      const double ratio = verdict(checked(row, {problem, dtype}), "worst").ratio;
      CHECK((ratio > 8 && ratio < 12));
    }
}

TEST_CASE("a bound that is not finite is a broken promise", "[check]") {
  Algorithm row = spoilt("no_bound", [](const Spoiling& s) { s.compute(s.arguments); });
  row.decide = [decide = row.decide](const Request& request) {
    Decisions d = decide(request);
    d.error_model.worst_case = [](const BoundInputs&, std::span<double> bound) { bound.front() = HUGE_VAL; };
    return d;
  };
  CHECK(breaks(row, {kSmall}, "worst"));
}

TEST_CASE("every registered row passes on random problems", "[check]") {
  constexpr std::uint64_t kSeed = 20;
  OracleCache cache;
  for (const Algorithm* row : testing::rows_here()) {
    int supported = 0;
    for (std::uint64_t index = 0; index < 40 || (supported < 20 && index < 80); ++index) {
      const Request request = random_request(*row, random_problem(kSeed, index), kSeed, index);
      const CheckResult result = check(*row, request, index, cache);
      for (const Verdict& v : result.verdicts) {
        INFO(result.reproduce() << "\n" << v.line());
        CHECK(v.kept);
      }
      CHECK((result.supported || !result.reason.empty()));
      supported += result.supported ? 1 : 0;
    }
    INFO(row->id);
    if (!testing::vendor_on_cpu(*row)) CHECK(supported >= 20);
  }
}

TEST_CASE("what a row cannot do is said, and a failure is reproduced by one line", "[check]") {
  Algorithm row = dropped_tap({0, 0, 0, 0});
  row.options = {{"order", "Order", "Nothing.", {"up", "down"}, "up"}};
  Request request{kSmall, DType::f16, {Layout::NHWC, FilterLayout::OHWI, Layout::NCHW}};
  request.options.set("order", "down");
  const CheckResult result = checked(row, request, 7);
  CHECK(result.reproduce() ==
        "convlens check '2x6x9x7 --filter 4x3x2 --stride 2x1 --pad 1x0x1x0 --bias' "
        "--algorithm spoilt.dropped_tap:order=down --dtype f16 --layout NHWC,OHWI,NCHW --seed 7");
  CHECK(verdict(result, "exact").line().find("exact: y(") == 0);
  CHECK(verdict(result, "likely").line() == "likely: not promised");

  row.missing = [] { return "not here"; };
  OracleCache cache;
  const CheckResult refused = check(row, request, 7, cache);
  CHECK_FALSE(refused.supported);
  CHECK(refused.reason == "spoilt.dropped_tap: not here");
  CHECK(refused.passed());
}

TEST_CASE("an empty batch is checked too", "[check]") { CHECK(checked(direct_ref(), {kSmall.with_batch(0)}).passed()); }
