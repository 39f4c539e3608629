// The checker must fail where a row is wrong, in the promise that the mistake breaks, and pass where it is right.
#include "algorithms/check/check.h"

#include <cmath>
#include <limits>

#include "algorithms/check/bounds.h"
#include "algorithms/check/fuzz.h"
#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

const ConvProblem kSmall({.n = 2, .ci = 6, .hi = 9, .wi = 7, .co = 4, .hf = 3, .wf = 2, .stride_h = 2, .pad_top = 1, .pad_left = 1, .bias = true});
const ConvProblem kLong({.n = 1, .ci = 512, .hi = 4, .wi = 5, .co = 3, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 1});  // K = 4608

CheckResult checked(const Algorithm& row, const Request& request, std::uint64_t seed = 1) {
  OracleCache cache;
  const CheckResult result = check(row, request, seed, cache);
  REQUIRE(result.supported);
  return result;
}

const Verdict& verdict(const CheckResult& result, const std::string& promise) {
  for (const Verdict& v : result.verdicts)
    if (v.promise == promise) return v;
  throw std::logic_error("no verdict " + promise);
}

// Whether `row` breaks `promise`, with every one of a few seeds.
bool breaks(const Algorithm& row, const Request& request, const std::string& promise) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const CheckResult result = checked(row, request, seed);
    INFO(verdict(result, promise).line());
    if (verdict(result, promise).kept) return false;
    CHECK_FALSE(result.passed());
  }
  return true;
}

bool faulty(const Algorithm& row, const std::string& fault) {
  for (DType dtype : kDTypes) {
    const CheckResult result = checked(row, {kSmall, dtype});
    const std::string& found = verdict(result, "exact").fault;
    if (found.find(fault) == std::string::npos || result.passed()) {
      UNSCOPED_INFO(name(dtype) << ": " << verdict(result, "exact").line());
      return false;
    }
  }
  return true;
}

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

TEST_CASE("the checker finds a NaN that is lost", "[check]") {
  const Algorithm row = spoilt_output("lost_nan", [](const TensorView& y) {
    for_each(y.shape, [&](const Shape& at) {
      if (std::isnan(get(y, at))) set(y, at, 0);
    });
  });
  for (DType dtype : kDTypes) {
    CHECK(breaks(row, {kSmall, dtype}, "nonfinite"));
    CHECK(verdict(checked(row, {kSmall, dtype}), "worst").kept);
  }
}

TEST_CASE("the checker finds a NaN where there should be none", "[check]") {
  const Algorithm row = spoilt_output("extra_nan", [](const TensorView& y) {
    bool any = false;
    for_each(y.shape, [&](const Shape& at) { any = any || !std::isfinite(get(y, at)); });
    if (any) for_each(y.shape, [&](const Shape& at) { set(y, at, std::numeric_limits<double>::quiet_NaN()); });
  });
  for (DType dtype : kDTypes) CHECK(breaks(row, {kSmall, dtype}, "nonfinite"));
}

TEST_CASE("the checker finds an infinity that becomes NaN, and one of the wrong sign", "[check]") {
  for (const double instead : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    const Algorithm row = spoilt_output("infinity", [instead](const TensorView& y) {
      for_each(y.shape, [&](const Shape& at) {
        if (std::isinf(get(y, at))) set(y, at, get(y, at) * instead);
      });
    });
    CHECK(breaks(row, {kSmall, DType::f32}, "nonfinite"));
  }
}

TEST_CASE("a NaN may spread over its tile where that is declared, not beyond, and may not be lost", "[check]") {
  // Makes every output NaN whose tile × tile block has a NaN.
  const auto smeared = [](std::int64_t tile, Spread declared) {
    Algorithm row = spoilt_output("smeared", [tile](const TensorView& y) {
      const Tensor before = converted(y, DType::f64, Layout::NCHW);
      for_each(y.shape, [&](const Shape& from) {
        if (std::isfinite(get(before.view(), from))) return;
        for_each(y.shape, [&](const Shape& to) {
          const bool same = from[0] == to[0] && from[1] == to[1] && from[2] / tile == to[2] / tile && from[3] / tile == to[3] / tile;
          if (same) set(y, to, std::numeric_limits<double>::quiet_NaN());
        });
      });
    });
    row.decide = [decide = row.decide, declared](const Request& request) {
      Decisions d = decide(request);
      d.error_model.spread = declared;
      d.error_model.tile_h = d.error_model.tile_w = 4;
      return d;
    };
    return row;
  };
  const Request request{ConvProblem({.n = 2, .ci = 3, .hi = 19, .wi = 17, .co = 2, .hf = 3, .wf = 3})};
  CHECK(checked(smeared(4, Spread::tile), request).passed());
  CHECK(checked(smeared(100, Spread::image), request).passed());
  CHECK(breaks(smeared(4, Spread::exact), request, "nonfinite"));
  CHECK(breaks(smeared(100, Spread::tile), request, "nonfinite"));
}

TEST_CASE("the checker finds an error of ten bounds", "[check]") {
  const Algorithm row = spoilt("ten_bounds", [](const Spoiling& s) {
    s.compute(s.arguments);
    Inputs inputs{converted(s.arguments.x, s.arguments.x.dtype, Layout::NCHW), converted(s.arguments.w, s.arguments.w.dtype, FilterLayout::OIHW), {}};
    const ConvProblem& p = s.problem;
    const std::size_t output = 3;  // y(0, 0, 0, 3)
    OracleCache::Entry entry{std::move(inputs), {}};
    entry.answer = oracle(p, entry.inputs);
    const double bound = worst_case_bounds(*direct_ref().plan({p, s.arguments.x.dtype}), entry)[output];
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

TEST_CASE("the checker finds a row that reads its workspace before writing it", "[check]") {
  const Algorithm row = spoilt("garbage", [](const Spoiling& s) {
    s.compute(s.arguments);
    set(s.arguments.y, {0, 0, 0, 0}, get(s.arguments.y, {0, 0, 0, 0}) + 0 * s.workspace.get<float>("scratch")[5]);
  });
  for (DType dtype : kDTypes) CHECK(breaks(row, {kSmall, dtype}, "exact"));
}

TEST_CASE("the checker finds a row that adds to what y held", "[check]") {
  const Algorithm row = spoilt("accumulates", [](const Spoiling& s) {
    const Tensor before = converted(s.arguments.y, DType::f64, Layout::NCHW);
    s.compute(s.arguments);
    for_each(s.arguments.y.shape, [&](const Shape& at) {
      const double old = get(before.view(), at);
      if (!std::isnan(old)) set(s.arguments.y, at, get(s.arguments.y, at) + old);
    });
  });
  CHECK(faulty(row, "a second run gave y("));
}

TEST_CASE("the checker finds a row that writes where it may not", "[check]") {
  CHECK(faulty(spoilt_output("past_y", [](const TensorView& y) {
    static_cast<std::byte*>(y.data)[elements(y.shape) * size_of(y.dtype)] = std::byte{0};
  }), "wrote outside y"));
  CHECK(faulty(spoilt_output("before_y", [](const TensorView& y) { static_cast<std::byte*>(y.data)[-1] = std::byte{0}; }), "wrote outside y"));
  CHECK(faulty(spoilt("past_workspace", [](const Spoiling& s) {
    s.compute(s.arguments);
    s.workspace.get<char>("scratch")[64] = 1;
  }), "wrote outside the workspace"));
  const auto writes = [](ConstTensorView Arguments::*tensor) {
    return spoilt("writes_input", [tensor](const Spoiling& s) {
      s.compute(s.arguments);
      *static_cast<char*>(const_cast<void*>((s.arguments.*tensor).data)) ^= 1;
    });
  };
  CHECK(faulty(writes(&Arguments::x), "wrote into x"));
  CHECK(faulty(writes(&Arguments::w), "wrote into w"));
  CHECK(faulty(spoilt("writes_bias", [](const Spoiling& s) {
    s.compute(s.arguments);
    *static_cast<char*>(const_cast<void*>(s.arguments.bias.data)) ^= 1;
  }), "wrote into bias"));
}

TEST_CASE("the checker finds a row that reads outside x", "[check]") {
  const Algorithm row = spoilt("reads_outside", [](const Spoiling& s) {
    s.compute(s.arguments);
    visit(s.arguments.x.dtype, [&]<class T>() {
      const double before = static_cast<const T*>(s.arguments.x.data)[-1];
      set(s.arguments.y, {0, 0, 0, 0}, get(s.arguments.y, {0, 0, 0, 0}) + 0 * before);
    });
  });
  for (DType dtype : kDTypes) CHECK(breaks(row, {kSmall, dtype}, "exact"));
}

TEST_CASE("the checker finds a row that takes views for dense", "[check]") {
  const Algorithm row = spoilt("ignores_strides", [](const Spoiling& s) {
    Arguments arguments = s.arguments;
    arguments.x.strides = dense_strides(Layout::NHWC, arguments.x.shape);
    s.compute(arguments);
  });
  CHECK(breaks(row, {kSmall, DType::f32, {Layout::NHWC, FilterLayout::OIHW, Layout::NCHW}}, "exact"));
}

TEST_CASE("the checker finds a result that depends on the number of threads", "[check]") {
  const Algorithm row = spoilt("threads", [](const Spoiling& s) {
    s.compute(s.arguments);
    const Shape at{0, 1, 2, 3};
    const double y = get(s.arguments.y, at);
    if (s.threads == 1) set(s.arguments.y, at, y * (1 + 4 * unit_roundoff(s.arguments.y.dtype)));
  });
  const CheckResult result = checked(row, {.problem = kSmall, .threads = 2});
  CHECK(verdict(result, "worst").fault.find("1 thread gave y(0,1,2,3)") == 0);
  CHECK_FALSE(result.passed());
}

TEST_CASE("the checker reports a row that throws", "[check]") {
  CHECK(faulty(spoilt("throws", [](const Spoiling&) { throw std::runtime_error("no more paper"); }), "threw: no more paper"));
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
  for (const Algorithm* row : algorithms()) {
    int supported = 0;
    for (std::uint64_t index = 0; index < 40; ++index) {
      const Request request = random_request(*row, random_problem(kSeed, index), kSeed, index);
      const CheckResult result = check(*row, request, index, cache);
      for (const Verdict& v : result.verdicts) {
        INFO(result.reproduce() << "\n" << v.line());
        CHECK(v.kept);
      }
      CHECK((result.supported || !result.reason.empty()));
      supported += result.supported ? 1 : 0;
    }
    if (!row->missing || row->missing().empty()) CHECK(supported > 0);
  }
}

TEST_CASE("what a row cannot do is said, and a failure is reproduced by one line", "[check]") {
  Algorithm row = dropped_tap({0, 0, 0, 0});
  row.options = {{"order", "Order", "Nothing.", {"up", "down"}, "up"}};
  Request request{kSmall, DType::f16, {Layout::NHWC, FilterLayout::OHWI, Layout::NCHW}};
  request.options.set("order", "down");
  const CheckResult result = checked(row, request, 7);
  CHECK(result.reproduce() ==
        "convlens check '2x6x9x7 --filter 4x3x2 --stride 2x1 --pad 1x0x1x0 --bias' --algorithm spoilt.dropped_tap:order=down "
        "--dtype f16 --layout NHWC,OHWI,NCHW --seed 7");
  CHECK(verdict(result, "exact").line().find("exact: y(") == 0);
  CHECK(verdict(result, "likely").line() == "likely: not promised");

  row.missing = [] { return "not here"; };
  OracleCache cache;
  const CheckResult refused = check(row, request, 7, cache);
  CHECK_FALSE(refused.supported);
  CHECK(refused.reason == "spoilt.dropped_tap: not here");
  CHECK(refused.passed());
}

TEST_CASE("an empty batch is checked too", "[check]") {
  CHECK(checked(direct_ref(), {kSmall.with_batch(0)}).passed());
}
