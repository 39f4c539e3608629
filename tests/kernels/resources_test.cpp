// Every kernel of every row on a GPU, compiled without one: for each architecture, in each layout, with its default
// options and with every pair of option values. It reports registers and shared memory; with default options nothing
// may spill.
#include <cstdio>
#include <map>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "kernels/rows.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;

namespace {

std::vector<const Algorithm*> gpu_rows() {
  const auto on_gpu = [] {
    std::vector<const Algorithm*> rows = algorithms();
    std::erase_if(rows, [](const Algorithm* row) { return row->unit == Unit::cpu; });
    return rows;
  };
  if (on_gpu().empty()) add_rows();
  return on_gpu();
}

// CUDA cores are the same for all; kernels for tensor cores are written for Hopper's.
std::vector<std::string> architectures(const Algorithm& row) {
  if (row.unit == Unit::tc) return {"sm_90a"};
  return {"sm_80", "sm_90a", "sm_120"};
}

Request some_request(const ConvProblem& problem, const Algorithm& row, Layout layout) {
  return {.problem = problem,
          .dtype = row.unit == Unit::tc ? DType::f16 : DType::f32,
          .layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout},
          .options = OptionSet::parse("", row.options),
          .place = testing::kGpu};
}

ConvProblem layer(const std::string& name, std::int64_t images) {
  ConvSpec spec = find_layer(name).spec;
  spec.n = images;
  return ConvProblem(spec);
}

const ConvProblem& ragged() {
  static const ConvProblem problem({.n = 3,
                                    .ci = 7,
                                    .hi = 15,
                                    .wi = 19,
                                    .co = 13,
                                    .hf = 3,
                                    .wf = 3,
                                    .pad_top = 1,
                                    .pad_bottom = 2,
                                    .pad_left = 1,
                                    .bias = true});
  return problem;
}

// Compiles each kernel of the request's program once for each architecture. Returns how many there were.
int compile_kernels(const Algorithm& row, const Request& request, bool may_spill) {
  if (!row.supports(request).ok) return 0;
  const auto plan = row.plan(request);
  if (plan->program() == nullptr) return 0;
  int count = 0;
  for (const Step& step : plan->program()->steps)
    if (const auto* launch = std::get_if<Launch>(&step))
      for (const std::string& architecture : architectures(row)) {
        INFO(plan->run_name() << ", " << launch->kernel.file << ", " << architecture);
        const Compiled compiled = runtime().compile(launch->kernel, architecture);
        ++count;
        if (!may_spill) {
          std::printf("%-24s %-20s %-7s %3d registers, %6lld bytes of shared memory, %d spilled\n",
                      plan->run_name().c_str(), launch->kernel.entry.c_str(), architecture.c_str(), compiled.registers,
                      static_cast<long long>(compiled.shared_bytes + launch->shared_bytes), compiled.spill_bytes);
          CHECK(compiled.spill_bytes == 0);
        }
        CHECK(compiled.registers <= 255);
        CHECK(launch->shared_bytes + compiled.shared_bytes <= 227 << 10);  // Hopper's most, a block
      }
  return count;
}

}  // namespace

TEST_CASE("every kernel is compiled without a GPU, and spills nothing with default options") {
  if (testing::no_runtime()) return;
  for (const Algorithm* row : gpu_rows()) {
    int count = 0;
    bool has_kernels = true;
    for (const ConvProblem& problem : {layer("cv1", 256), layer("cv9", 256), layer("cv12", 256), ragged()})
      for (const Layout layout : kLayouts) {
        const Request request = some_request(problem, *row, layout);
        count += compile_kernels(*row, request, false);
        if (row->supports(request).ok) {
          const auto plan = row->plan(request);
          has_kernels = plan->program() != nullptr && !std::holds_alternative<VendorCall>(plan->program()->steps[0]);
        }
      }
    INFO(row->id << " has compiled nothing");
    CHECK((count > 0 || !has_kernels));
  }
}

TEST_CASE("every pair of option values compiles") {
  if (testing::no_runtime()) return;
  for (const Algorithm* row : gpu_rows())
    for (std::size_t i = 0; i < row->options.size(); ++i)
      for (const std::string& first : row->options[i].values)
        for (std::size_t j = i; j < row->options.size(); ++j)
          for (const std::string& second : row->options[j].values) {
            if (i == j && first != second) continue;
            Request request = some_request(ragged(), *row, Layout::NHWC);
            request.options.set(row->options[i].id, first);
            request.options.set(row->options[j].id, second);
            compile_kernels(*row, request, true);
          }
}
