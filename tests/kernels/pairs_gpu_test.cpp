// Every row on a GPU, with every pair of option values, on ragged layers: all that is compiled is also run and checked.
// compute-sanitizer is run over the second test, a row and a layout at a time, or one of its layers:
//
//   compute-sanitizer --tool racecheck convlens_tests "[once]" -c "im2win.cc NCHW" -c "layer 2"
#include <algorithm>

#include "algorithms/check/check.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/kernels/ragged_layers.h"
#include "tests/support/option_cover.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

Request request_of(const Algorithm& row, Layout layout, const ConvProblem& problem) {
  return {.problem = problem,
          .dtype = row.unit == Unit::tc ? DType::f16 : DType::f32,
          .layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout},
          .options = OptionSet::parse("", row.options),
          .place = kGpu};
}

// Calls visit(row, request) for every choice that holds a pair, each row and layout, and each of their layers, in a
// section of its own.
template <class Visit>
void for_every_pair(Visit&& visit) {
  for (const Algorithm* row : gpu_rows())
    for (const Layout layout : kLayouts) {
      if (row->vendor) continue;
      DYNAMIC_SECTION(row->id << " " << name(layout)) {
        CHECK(std::ranges::any_of(ragged_layers(), [&](const ConvProblem& problem) {
          return row->supports(request_of(*row, layout, problem)).ok;
        }));
        int layer = 0;
        for (const ConvProblem& problem : ragged_layers()) DYNAMIC_SECTION("layer " << ++layer) {
            Request request = request_of(*row, layout, problem);
            for (const OptionSet& options : option_cover(*row, request)) {
              request.options = options;
              visit(*row, request);
            }
          }
      }
    }
}

}  // namespace

TEST_CASE("every pair of option values keeps its promises on a GPU", "[gpu][pairs]") {
  if (no_gpu()) return;
  OracleCache cache;
  for_every_pair([&](const Algorithm& row, const Request& request) {
    const CheckResult result = check(row, request, 7, cache);
    INFO(result.reproduce() << " " << result.reason);
    CHECK(result.supported);
    CHECK(result.passed());
  });
}

TEST_CASE("every pair of option values runs once on a GPU", "[gpu][once]") {
  if (no_gpu()) return;
  OracleCache cache;
  for_every_pair([&](const Algorithm& row, const Request& request) {
    const auto plan = row.plan(request);
    INFO(plan->run_name());
    CHECK(check_worst_case(plan, 7, cache).kept);
  });
}
