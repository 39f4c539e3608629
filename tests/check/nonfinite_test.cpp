#include "algorithms/check/nonfinite.h"

#include <cmath>
#include <limits>

#include "algorithms/check/fuzz.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"
#include "tests/support/verdicts.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// All that a crop must leave alone.
ConvSpec frame(const ConvProblem& p) {
  ConvSpec s = p.spec();
  s.n = s.ci = s.hi = s.wi = s.co = s.groups = 1;
  return s;
}

}  // namespace

TEST_CASE("a small problem is not cropped", "[nonfinite]") {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const ConvProblem p = random_problem(4, index);
    CHECK(cropped(p) == p);
  }
}

TEST_CASE("a large problem is cropped to a small one of the same kind", "[nonfinite]") {
  for (std::uint64_t index = 0; index < 500; ++index) {
    ConvSpec spec = random_problem(4, index).spec();
    spec.n = 8;
    spec.ci *= 16;
    spec.co *= 16;
    spec.hi += 60;
    spec.wi += 80;
    const ConvProblem large(spec), small = cropped(large);
    if (large.multiplications() <= 1 << 22) continue;
    CHECK(small.multiplications() <= 1 << 22);
    CHECK(frame(small) == frame(large));
    CHECK((small.groups() > 1) == (large.groups() > 1));
    CHECK((small.ci_per_group() == 1) == (large.ci_per_group() == 1));
    CHECK((small.ho() > 1 && small.wo() > 1));
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
          const bool same_plane = from[0] == to[0] && from[1] == to[1];
          const bool same_tile = same_plane && from[2] / tile == to[2] / tile && from[3] / tile == to[3] / tile;
          if (same_tile) set(y, to, std::numeric_limits<double>::quiet_NaN());
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
