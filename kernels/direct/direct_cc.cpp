// direct.cc: direct convolution on CUDA cores.
#include "algorithms/interface/tensor_maps.h"
#include "kernels/direct/direct.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;

Decisions decide(const Request& request) {
  const ConvProblem& problem = request.problem;
  Launch launch{
      .sentence = "adds up every output's window",
      .kernel = kernel(request, "direct/direct_cc.cu", "direct_cc", {{"threads", kThreads}}),
      .grid = {ceil_div(elements(problem.y_shape()), kThreads)},
      .block = {kThreads},
      .arguments = {x(), w(), bias(), y()},
  };
  Decisions d = decisions({request, {std::move(launch)}});
  d.stages = {input_stage(problem, request.dtype)};
  d.executed_flops = problem.flops();
  d.error_model = plain_sum_model(problem, request.dtype);
  return d;
}

}  // namespace

const Algorithm& direct_cc() {
  static const Algorithm row{
      .id = "direct.cc",
      .family = "direct",
      .unit = Unit::cc,
      .title = "Direct on CUDA cores",
      .sentence = "Adds up each output's window where it lies, without a copy.",
      .source = "the definition",
      .options = {sizes_option()},
      .rules = {f32_only(), int_offsets()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
