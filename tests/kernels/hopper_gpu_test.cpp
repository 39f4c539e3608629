// implicit_gemm.tc and direct.tc on a GPU, on layers that the copy engine takes, with every pair of option values,
// warps delayed at random among them.
#include "algorithms/check/check.h"
#include "kernels/direct/direct.h"
#include "kernels/im2col/im2col.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/support/option_cover.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// Tails of channels, pixels and images; padding that differs on all sides, strides, dilation, groups; few channels.
const std::vector<ConvProblem>& layers() {
  static const std::vector<ConvProblem> all{
      ConvProblem({.n = 3, .ci = 64, .hi = 17, .wi = 19, .co = 64, .hf = 3, .wf = 3}),
      ConvProblem({.n = 5,
                   .ci = 96,
                   .hi = 15,
                   .wi = 13,
                   .co = 136,
                   .hf = 3,
                   .wf = 5,
                   .pad_top = 1,
                   .pad_bottom = 2,
                   .pad_left = 3,
                   .bias = true}),
      ConvProblem({.n = 2,
                   .ci = 72,
                   .hi = 23,
                   .wi = 21,
                   .co = 40,
                   .hf = 5,
                   .wf = 3,
                   .stride_h = 2,
                   .stride_w = 3,
                   .pad_left = 1,
                   .pad_right = 1,
                   .dilation_h = 2,
                   .bias = true}),
      ConvProblem({.n = 9, .ci = 128, .hi = 7, .wi = 7, .co = 192, .hf = 3, .wf = 3, .groups = 2}),
      ConvProblem({.n = 4, .ci = 3, .hi = 39, .wi = 41, .co = 96, .hf = 11, .wf = 11, .stride_h = 4, .stride_w = 4}),
      ConvProblem({.n = 40, .ci = 40, .hi = 33, .wi = 31, .co = 24, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 1}),
  };
  return all;
}

}  // namespace

TEST_CASE("tiles that the copy engine fetches keep their promises on a GPU", "[gpu][hopper]") {
  if (no_gpu()) return;
  OracleCache cache;
  for (const Algorithm* row : {&gpu::implicit_gemm_tc(), &gpu::direct_tc()})
    for (const DType dtype : {DType::f16, DType::bf16}) DYNAMIC_SECTION(row->id << " " << name(dtype)) {
        for (const ConvProblem& problem : layers()) {
          Request request{.problem = problem,
                          .dtype = dtype,
                          .layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC},
                          .options = OptionSet::parse("", row->options),
                          .place = kGpu};
          for (const OptionSet& options : option_cover(*row, request)) {
            request.options = options;
            const CheckResult result = check(*row, request, 11, cache);
            INFO(result.reproduce() << " " << result.reason);
            CHECK(result.supported);
            CHECK(result.passed());
          }
        }
      }
}
