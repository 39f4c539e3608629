// Every kernel of every row on a GPU, compiled without one: with default options in each layout and for each
// architecture, and with every pair of option values. It prints registers and shared memory; with default options
// nothing may spill: on a sample of layers in a minute, on all of cv1–cv12 in the long test.
#include <atomic>
#include <cstdio>
#include <map>
#include <thread>

#include "algorithms/error.h"
#include "algorithms/problem/layers.h"
#include "kernels/architecture.h"
#include "kernels/direct/direct.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2win/im2win.h"
#include "kernels/text.h"
#include "kernels/winograd/winograd.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/kernels/ragged_layers.h"
#include "tests/support/option_cover.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

struct Job {
  std::string run, architecture;
  Launch launch;
  Compiled compiled = {};
  std::string error = {};
};

// Kernels of the same text are compiled once.
class Jobs {
 public:
  // Returns whether the row computes the request.
  bool add(const Algorithm& row, const Request& request, const std::string& architecture) {
    if (!row.supports(request).ok) return false;
    const auto plan = row.plan(request);
    if (plan->program() == nullptr) return true;
    for (const Step& step : plan->program()->steps)
      if (const auto* launch = std::get_if<Launch>(&step);
          launch != nullptr && why_not_on(*launch, architecture).empty())
        jobs_.try_emplace(architecture + launch->kernel.entry + source(launch->kernel),
                          Job{plan->run_name(), architecture, *launch});
    return true;
  }

  // Compiles them all, on all cores.
  std::vector<Job> compile() {
    std::vector<Job> all;
    for (auto& [text, job] : jobs_) all.push_back(std::move(job));
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t k = next++; k < all.size(); k = next++) try {
          all[k].compiled = runtime().compile(all[k].launch.kernel, all[k].architecture);
        } catch (const Error& error) {
          all[k].error = error.what();
        }
    };
    std::vector<std::jthread> threads(std::thread::hardware_concurrency());
    for (std::jthread& thread : threads) thread = std::jthread(work);
    threads.clear();  // waits for each
    return all;
  }

 private:
  std::map<std::string, Job> jobs_;
};

Request request_for(const Algorithm& row, const ConvProblem& problem, Layout layout) {
  return {.problem = problem,
          .dtype = row.unit == Unit::tc ? DType::f16 : DType::f32,
          .layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout},
          .options = OptionSet::parse("", row.options),
          .place = kGpu};
}

ConvProblem layer(const std::string& name) {
  ConvSpec spec = find_layer(name).spec;
  spec.n = 256;
  return ConvProblem(spec);
}

const ConvProblem& ragged() { return ragged_layers().front(); }

// Compiles them, prints what they take, and checks that nothing spills.
void compile_without_spills(Jobs jobs) {
  for (const Job& job : jobs.compile()) {
    const Compiled& c = job.compiled;
    INFO(job.run << ", " << job.launch.kernel.file << ", " << job.launch.kernel.entry << ", " << job.architecture);
    std::printf("%-22s %-22s %-7s %3d registers, %6lld bytes of shared memory, %d spilled\n", job.run.c_str(),
                job.launch.kernel.entry.c_str(), job.architecture.c_str(), c.registers,
                static_cast<long long>(c.shared_bytes + job.launch.shared_bytes), c.spill_bytes);
    CHECK(job.error == "");
    CHECK(c.spill_bytes == 0);
    CHECK(c.shared_bytes + job.launch.shared_bytes <= most_shared_bytes(job.architecture));
  }
}

}  // namespace

TEST_CASE("every kernel is compiled without a GPU, and spills nothing with default options") {
  if (no_runtime()) return;
  Jobs jobs;
  for (const Algorithm* row : gpu_rows()) {
    INFO(row->id);
    bool any = false;
    for (const Layout layout : kLayouts)
      for (const ConvProblem& problem : {layer("cv9"), ragged()})
        any = jobs.add(*row, request_for(*row, problem, layout), "sm_90a") || any;
    for (const char* name : {"cv1", "cv5", "cv12"})
      jobs.add(*row, request_for(*row, layer(name), Layout::NHWC), "sm_90a");
    CHECK(any);
    for (const char* architecture : {"sm_75", "sm_80", "sm_120"})
      for (const Layout layout : {Layout::NCHW, Layout::NHWC})
        jobs.add(*row, request_for(*row, layer("cv9"), layout), architecture);
  }
  for (const Algorithm* row : {&implicit_gemm_tc(), &direct_tc()})
    for (const char* architecture : {"sm_80", "sm_90a", "sm_120"})
      for (const Layout layout : kLayouts)
        for (const ConvProblem& problem : {layer("cv9"), layer("cv12"), ragged()}) {
          Request by_mma = request_for(*row, problem, layout);
          by_mma.options.set("instructions", "mma");
          CHECK(jobs.add(*row, by_mma, architecture));
        }
  // 128 sums a thread, and images as the fastest axis: where registers are shortest.
  for (const char* architecture : {"sm_80", "sm_90a"}) {
    for (const char* name : {"cv8", "cv10"})
      jobs.add(im2win_tc(), request_for(im2win_tc(), layer(name), Layout::NHWC), architecture);
    jobs.add(im2col_tc(), request_for(im2col_tc(), layer("cv5"), Layout::CHWN), architecture);
    jobs.add(im2col_cc(), request_for(im2col_cc(), layer("cv12"), Layout::CHWN), architecture);
  }
  for (const char* name : {"cv5", "cv7"})
    jobs.add(winograd_tc(), request_for(winograd_tc(), layer(name), Layout::NHWC), "sm_120");
  compile_without_spills(std::move(jobs));
}

TEST_CASE("no kernel of a default option set spills on cv1 to cv12", "[large]") {
  if (no_runtime()) return;
  for (const Algorithm* row : gpu_rows())
    for (const char* architecture : {"sm_80", "sm_90a"}) DYNAMIC_SECTION(row->id << " " << architecture) {
        Jobs jobs;
        for (const Layout layout : kLayouts)
          for (int k = 1; k <= 12; ++k)
            jobs.add(*row, request_for(*row, layer("cv" + std::to_string(k)), layout), architecture);
        compile_without_spills(std::move(jobs));
      }
}

namespace {

void compile_all(const Algorithm& row, Request request, const std::vector<OptionSet>& choices) {
  Jobs jobs;
  for (const OptionSet& options : choices) {
    request.options = options;
    jobs.add(row, request, "sm_90a");
  }
  for (const Job& job : jobs.compile()) {
    INFO(job.run << ", " << job.launch.kernel.file << ", " << job.launch.kernel.entry);
    CHECK(job.error == "");
    CHECK(job.compiled.shared_bytes + job.launch.shared_bytes <= most_shared_bytes(job.architecture));
  }
}

}  // namespace

TEST_CASE("every pair of option values compiles") {
  if (no_runtime()) return;
  for (const Algorithm* row : gpu_rows()) {
    const Request request = request_for(*row, ragged(), Layout::NHWC);
    compile_all(*row, request, option_cover(*row, request));
  }
}

TEST_CASE("every combination of option values compiles", "[large]") {
  if (no_runtime()) return;
  for (const Algorithm* row : gpu_rows()) DYNAMIC_SECTION(row->id) {
      const Request request = request_for(*row, ragged(), Layout::NHWC);
      const std::vector<OptionSet> product = option_product(*row, request);
      std::printf("%s: %zu combinations\n", row->id.c_str(), product.size());
      compile_all(*row, request, product);
    }
}
