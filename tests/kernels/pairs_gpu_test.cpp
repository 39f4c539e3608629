// Every row on a GPU, with every pair of option values, on ragged layers: all that is compiled is also run and checked.
// compute-sanitizer is run over this test, a row and a layout at a time:
//
//   compute-sanitizer --tool racecheck convlens_tests "[pairs]" -c "im2win.cc NCHW"
#include "algorithms/check/check.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/support/option_cover.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// Extents that no tile divides, padding that differs on all sides; then strides, dilation and groups.
const std::vector<ConvProblem>& ragged_layers() {
  static const std::vector<ConvProblem> layers{
      ConvProblem({.n = 3,
                   .ci = 7,
                   .hi = 15,
                   .wi = 19,
                   .co = 13,
                   .hf = 3,
                   .wf = 3,
                   .pad_top = 1,
                   .pad_bottom = 2,
                   .pad_left = 1,
                   .bias = true}),
      ConvProblem({.n = 2,
                   .ci = 10,
                   .hi = 17,
                   .wi = 23,
                   .co = 6,
                   .hf = 2,
                   .wf = 5,
                   .stride_h = 2,
                   .stride_w = 3,
                   .pad_left = 3,
                   .pad_right = 1,
                   .dilation_h = 3,
                   .groups = 2}),
  };
  return layers;
}

}  // namespace

TEST_CASE("every pair of option values keeps its promises on a GPU", "[gpu][pairs]") {
  if (no_gpu()) return;
  OracleCache cache;
  for (const Algorithm* row : gpu_rows())
    for (const Layout layout : kLayouts) {
      if (row->vendor) continue;
      DYNAMIC_SECTION(row->id << " " << name(layout)) {
        int checked = 0;
        for (const ConvProblem& problem : ragged_layers()) {
          Request request{.problem = problem,
                          .layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout},
                          .options = OptionSet::parse("", row->options),
                          .place = kGpu};
          for (const OptionSet& options : option_cover(*row, request)) {
            request.options = options;
            const CheckResult result = check(*row, request, 7, cache);
            INFO(result.reproduce() << " " << result.reason);
            CHECK(result.supported);
            CHECK(result.passed());
            ++checked;
          }
        }
        CHECK(checked > 0);
      }
    }
}
