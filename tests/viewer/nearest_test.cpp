// Where a row refuses a layer and one change helps, the viewer knows of a change with which the row runs.
#include "viewer/logic/nearest.h"

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/layer_sizes.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::nearest_request;

bool runs(const Algorithm& row, const Request& request) { return row.supports(request).ok; }

// A single change that helps, looked for among far more of them than the viewer tries; "" where there is none.
std::string some_change(const Algorithm& row, const Request& asked) {
  for (const Option& option : row.options) {
    std::vector<std::string> values = option.values;
    for (int k = 0; option.accepts && k < 64; ++k) values.push_back(std::to_string(k));
    values.insert(values.end(), {"auto", "all", "0,1", "0,1,-1", "0,1,-1,2,-2"});
    for (const std::string& value : values) {
      const bool legal = option.accepts ? option.accepts(value).empty() : std::ranges::count(option.values, value) == 1;
      Request changed = asked;
      changed.options.set(option.id, value);
      if (legal && runs(row, changed)) return option.id + "=" + value;
    }
  }
  for (const Layout x : kLayouts)
    for (const Layout y : kLayouts)
      for (const FilterLayout w : kFilterLayouts) {
        Request changed = asked;
        changed.layouts = {x, w, y};
        if ((w == asked.layouts.w || x == y) && runs(row, changed)) return "layouts";
      }
  for (const DType dtype : kDTypes) {
    Request changed = asked;
    changed.dtype = dtype;
    if (runs(row, changed)) return std::string(name(dtype));
  }
  for (const viewer::LayerSize& size : viewer::kLayerSizes)
    for (std::int64_t value = 0; value <= 40; ++value) {
      Request changed = asked;
      ConvSpec spec = asked.problem.spec();
      spec.*size.member = value;
      if (spec.n == 0 || !broken_rules(spec).empty()) continue;
      changed.problem = ConvProblem(spec);
      if (runs(row, changed)) return std::string(size.name) + " " + std::to_string(value);
    }
  return "";
}

struct Situation {
  std::string what;
  ConvSpec spec;
  DType dtype = DType::f32;
  Layouts layouts{};
};

std::vector<Situation> situations() {
  const Layouts last{Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  ConvSpec uneven{.ci = 16, .hi = 12, .wi = 10, .co = 16, .hf = 3, .wf = 3, .pad_bottom = 2, .pad_left = 1};
  return {
      {"cv9", find_layer("cv9").spec},
      {"cv9 in f16, channels last", find_layer("cv9").spec, DType::f16, last},
      {"in f64", {.ci = 16, .hi = 12, .wi = 12, .co = 16, .hf = 3, .wf = 3}, DType::f64},
      {"layouts that differ",
       {.ci = 8, .hi = 9, .wi = 9, .co = 8, .hf = 3, .wf = 3},
       DType::bf16,
       {Layout::CHWN, FilterLayout::OHWI, Layout::NCHW}},
      {"one tap", {.ci = 16, .hi = 9, .wi = 9, .co = 16}},
      {"steps", {.ci = 16, .hi = 19, .wi = 19, .co = 16, .hf = 3, .wf = 3, .stride_h = 2, .stride_w = 2}},
      {"gaps", {.ci = 16, .hi = 19, .wi = 19, .co = 16, .hf = 3, .wf = 3, .dilation_h = 2, .dilation_w = 3}},
      {"both", {.ci = 16, .hi = 29, .wi = 29, .co = 16, .hf = 5, .wf = 3, .stride_w = 2, .dilation_h = 2}},
      {"a large filter", {.ci = 4, .hi = 30, .wi = 30, .co = 4, .hf = 11, .wf = 11}},
      {"groups", {.ci = 6, .hi = 9, .wi = 9, .co = 9, .hf = 3, .wf = 3, .groups = 3}},
      {"uneven padding", uneven},
  };
}

}  // namespace

namespace {

// How many refusals there were with a change that helps, and without.
struct Tally {
  int found = 0, none = 0;
};

void check_nearest(const Algorithm& row, const Request& asked, const std::string& what, Tally& tally) {
  if (runs(row, asked)) {
    CHECK_FALSE(nearest_request(row, asked));
    return;
  }
  INFO(what << ", " << run_name(row, asked.options) << ": " << row.supports(asked).reason);
  const std::optional<Request> nearest = nearest_request(row, asked);
  if (!nearest) {
    ++tally.none;
    CHECK(some_change(row, asked).empty());
    return;
  }
  ++tally.found;
  CHECK(runs(row, *nearest));
  CHECK_FALSE(viewer::change_text(asked, *nearest).empty());
  CHECK_NOTHROW(row.plan(*nearest));
}

}  // namespace

TEST_CASE("a row that refuses has a change that makes it run, or no single change would") {
  Tally tally;
  for (const Situation& situation : situations())
    for (const Algorithm* row : algorithms()) {
      if (row->missing && !row->missing().empty()) continue;
      check_nearest(*row, complete(*row, {ConvProblem(situation.spec), situation.dtype, situation.layouts}),
                    situation.what, tally);
    }
  WARN(tally.found << " refusals with a change, " << tally.none << " that no single change helps");
  CHECK(tally.found > 100);
}

TEST_CASE("a row that refuses an option's value has a change that makes it run, or no single change would") {
  Tally tally;
  for (const Situation& situation : situations())
    for (const Algorithm* row : algorithms()) {
      if (row->missing && !row->missing().empty()) continue;
      const Request plain = complete(*row, {ConvProblem(situation.spec), situation.dtype, situation.layouts});
      for (const Option& option : row->options) {
        std::vector<std::string> values = option.values;
        if (option.accepts)
          for (const char* value : {"1", "3", "8", "0,1,-1", "0,1,1/3"})
            if (option.accepts(value).empty()) values.emplace_back(value);
        for (const std::string& value : values) {
          Request asked = plain;
          asked.options.set(option.id, value);
          check_nearest(*row, asked, situation.what, tally);
        }
      }
    }
  WARN(tally.found << " refusals with a change, " << tally.none << " that no single change helps");
  CHECK(tally.found > 1000);
}

TEST_CASE("what oneDNN refuses in plain layouts and takes in blocked ones is one option away") {
  const Algorithm& row = find_algorithm("onednn.winograd");
  if (!row.missing().empty()) {
    WARN("SKIP: " << row.missing());
    return;
  }
  const Request asked = complete(row, {ConvProblem(find_layer("cv9").spec)});
  Request blocked = asked;
  blocked.options.set("format", "blocked");
  if (runs(row, asked) || !runs(row, blocked)) return;  // another library, or another processor
  const std::optional<Request> nearest = nearest_request(row, asked);
  REQUIRE(nearest);
  CHECK(nearest->options.is("format", "blocked"));
  CHECK(viewer::change_text(asked, *nearest) == "format=blocked instead of plain");

  // Channels last it refuses in either format: then two changes are one button.
  const Request last = complete(row, {asked.problem, DType::f32, {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC}});
  if (runs(row, last)) return;
  const std::optional<Request> two = nearest_request(row, last);
  REQUIRE(two);
  CHECK(runs(row, *two));
}

TEST_CASE("an option of free text that keeps a row from running is mended") {
  const Algorithm& row = find_algorithm("winograd.ref");
  Request asked = complete(row, {ConvProblem({.ci = 2, .hi = 9, .wi = 9, .co = 2, .hf = 5, .wf = 5})});
  asked.options.set("m", "8");
  const std::optional<Request> nearest = nearest_request(row, asked);
  REQUIRE(nearest);
  CHECK(viewer::change_text(asked, *nearest) == "m=6 instead of 8");
}

TEST_CASE("where the rules know of a part of the way, the rest is looked for") {
  const Request one_tap{ConvProblem({.ci = 4, .hi = 9, .wi = 9, .co = 4}), DType::f16};
  const auto nearest = [](const char* id, const Request& request) {
    const Algorithm& row = find_algorithm(id);
    const std::optional<Request> found = nearest_request(row, complete(row, request));
    return found ? viewer::change_text(complete(row, request), *found) : "";
  };
  CHECK(nearest("winograd.cpu", one_tap) == "hf 2 instead of 1, f32 instead of f16");
  CHECK(nearest("winograd.cc", one_tap) == "hf 2 instead of 1, f32 instead of f16");
  CHECK(nearest("winograd.tc", {one_tap.problem}) == "hf 2 instead of 1, f16 instead of f32");
}

TEST_CASE("a change is not looked for any more once that is in vain") {
  int asked = 0;
  const Algorithm& row = find_algorithm("winograd.ref");
  const Request request = complete(row, {ConvProblem({.ci = 2, .hi = 9, .wi = 9, .co = 2})});
  REQUIRE_FALSE(runs(row, request));
  CHECK(nearest_request(row, request));
  CHECK_FALSE(nearest_request(row, request, [&] { return ++asked > 0; }));
  CHECK(asked < 10);
}
