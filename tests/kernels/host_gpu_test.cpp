// The kernels' texts, as they stand, run on the host (tests/support/host_gpu): without a GPU, every address is checked,
// and every barrier that a block's threads wait at.
#include <iostream>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/kernels/ragged_layers.h"
#include "tests/support/case_numbers.h"
#include "tests/support/host_gpu/host_gpu.h"
#include "tests/support/plan_run.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace {

bool no_host_gpu() {
  if (!why_no_host_gpu().empty()) std::cout << "SKIP: " << why_no_host_gpu() << "\n";
  return !why_no_host_gpu().empty();
}

Reference reference_of(const ConvProblem& problem, DType dtype) {
  const Shape biases{problem.bias() ? problem.co() : 0, 1, 1, 1};
  return {problem, dtype, rounded_values(dtype, problem.x_shape(), XH), rounded_values(dtype, problem.w_shape(), WH),
          rounded_values(dtype, biases, WH)};
}

// What is wrong with y when `program`, which is the plan's or a changed one, has run on the host; or "".
std::string complaint(const Plan& plan, const gpu::Program& program) {
  const Reference reference = reference_of(plan.problem(), plan.request().dtype);
  const Arrangements at = Arrangements::of(plan.request());
  const RunInputs inputs(reference, at.x, at.w);
  GuardedTensor y(reference.dtype, reference.problem.y_shape(), at.y);
  const GuardedWorkspace workspace(plan.workspace_bytes());
  run_on_host(program, {inputs.x(), inputs.w(), inputs.bias(), y.view()}, plan.workspace(), workspace.span());
  return Judge(plan, reference, 0).complaint(y.read());
}

std::shared_ptr<const Plan> plan_of(const std::string& name, ConvSpec spec, Layout layout) {
  const Run run = parse_run(name);
  spec.bias = true;
  return run.algorithm->plan(
      {.problem = ConvProblem(spec),
       .dtype = run.algorithm->unit == Unit::tc ? DType::f16 : DType::f32,
       .layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout},
       .options = run.options});
}

// The program with `text` of a kernel's file replaced.
gpu::Program changed(const Plan& plan, const std::string& file, const std::string& text, const std::string& by) {
  gpu::Program program = *plan.program();
  std::string whole = gpu::kernel_file(file);
  const std::size_t at = whole.find(text);
  REQUIRE(at != std::string::npos);
  whole.replace(at, text.size(), by);
  for (gpu::Step& step : program.steps) std::get<gpu::Launch>(step).kernel.texts[file] = whole;
  return program;
}

}  // namespace

TEST_CASE("kernels run on the host are right on ragged layers, and touch nothing beside their tensors") {
  if (no_host_gpu()) return;
  const auto [name, layout] = GENERATE(table<std::string, Layout>({
      {"im2win.tc:sizes=runtime", Layout::NHWC},
      {"im2win.cc:sizes=runtime", Layout::NCHW},
      {"direct.cc:sizes=runtime", Layout::CHWN},
      {"implicit_gemm.tc:instructions=mma,sizes=runtime", Layout::NHWC},
  }));
  for (const ConvProblem& problem : ragged_layers()) {
    const auto plan = plan_of(name, problem.spec(), layout);
    INFO(plan->run_name());
    REQUIRE(why_not_on_host(*plan->program()).empty());
    CHECK(complaint(*plan, *plan->program()) == "");
  }
}

TEST_CASE("what is wrong with a kernel is seen on the host: a barrier or a wait that is missing, a read beside") {
  if (no_host_gpu()) return;
  const auto plan = plan_of("im2win.tc:sizes=runtime", ragged_layers().front().spec(), Layout::NHWC);
  const std::string kernel = "im2win/im2win_tc.cu", copies = "im2win/slice_copy.cuh";

  const auto without_barrier = changed(*plan, kernel, "slot * slice_n);\n    __syncthreads();", "slot * slice_n);");
  CHECK(complaint(*plan, without_barrier) != "");
  const auto without_wait = changed(*plan, copies, "wait_for_batches<0>();", "");
  CHECK(complaint(*plan, without_wait) != "");
  const auto beside = changed(*plan, kernel, "if (n >= s.n) return 0;", "");
  CHECK_THROWS_WITH(complaint(*plan, beside), Contains("heap-buffer-overflow"));
}
