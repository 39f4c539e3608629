// cuDNN's rows on a GPU: what they compute is within their bounds, and what they refuse they refuse in words.
#include <cmath>
#include <future>

#include "algorithms/check/bounds.h"
#include "algorithms/error.h"
#include "kernels/vendor/cudnn.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

const Layouts kChannelsFirst{}, kChannelsLast{Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};

// One run of `plan` on the inputs of a check, on the GPU; workspace and output hold NaN before.
std::vector<double> run_on_gpu(const Plan& plan, const Inputs& inputs) {
  const Request& r = plan.request();
  const ConvProblem& p = plan.problem();
  const GpuTensor x(converted(inputs.x.view(), r.dtype, r.layouts.x));
  const GpuTensor w(converted(inputs.w.view(), r.dtype, r.layouts.w));
  const GpuTensor y(r.dtype, r.layouts.y, p.y_shape());
  const DeviceBuffer memory(first_gpu(), std::max<std::int64_t>(1, plan.workspace_bytes()));
  first_gpu().set(memory.data(), std::byte{0xff}, memory.bytes());
  const auto run = [&](const BiasView& bias) {
    plan.run({.x = x.view(), .w = w.view(), .bias = bias, .y = y.view()},
             {memory.data(), static_cast<std::size_t>(memory.bytes())});
    first_gpu().synchronize();
  };
  if (p.bias()) {
    const GpuTensor bias(inputs.bias);
    run({bias.view().data, r.dtype, p.co(), 1, kGpu});
  } else {
    run({});
  }
  Tensor result(r.dtype, r.layouts.y, p.y_shape());
  y.download(result);
  const Tensor wide = converted(result.view(), DType::f64, Layout::NCHW);
  const auto* const values = static_cast<const double*>(wide.view().data);
  return {values, values + wide.size()};
}

// The largest error as a part of its bound.
double error_over_bound(const Plan& plan, std::uint64_t seed) {
  OracleCache cache;
  const auto entry = cache.get(plan.problem(), plan.request().dtype, {Data::Kind::uniform, {}, seed});
  const std::vector<double> bound = worst_case_bounds(plan, *entry), y = run_on_gpu(plan, entry->inputs);
  double worst = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double ratio = std::abs(y[k] - entry->answer.y[k]) / bound[k];
    if (!(ratio <= worst)) worst = ratio;
  }
  return worst;
}

std::vector<ConvSpec> layers() {
  return {
      {.n = 2, .ci = 16, .hi = 14, .wi = 17, .co = 8, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1},
      {.n = 3, .ci = 3, .hi = 23, .wi = 19, .co = 5, .hf = 5, .wf = 5},
      {.n = 2, .ci = 6, .hi = 21, .wi = 18, .co = 9, .hf = 7, .wf = 3, .stride_h = 2, .stride_w = 3},
      {.n = 2, .ci = 8, .hi = 15, .wi = 15, .co = 8, .hf = 3, .wf = 3, .dilation_h = 2, .dilation_w = 2},
      {.n = 2, .ci = 8, .hi = 12, .wi = 12, .co = 16, .hf = 3, .wf = 3, .groups = 4},
      {.n = 1, .ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3, .pad_top = 2, .pad_right = 1},
      {.n = 2, .ci = 8, .hi = 9, .wi = 9, .co = 8, .hf = 3, .wf = 3, .bias = true},
      {.n = 1, .ci = 5, .hi = 1, .wi = 1, .co = 3, .hf = 1, .wf = 1},
  };
}

}  // namespace

TEST_CASE("cuDNN computes a layer within its bound, or says in words that it doesn't", "[gpu]") {
  if (no_gpu()) return;
  int computed = 0, refused = 0;
  for (const ConvSpec& spec : layers())
    for (const Layouts& layouts : {kChannelsFirst, kChannelsLast})
      for (DType dtype : {DType::f32, DType::f16, DType::bf16})
        for (const Algorithm* row : cudnn_rows()) {
          const Request request{
              .problem = ConvProblem(spec), .dtype = dtype, .layouts = layouts, .options = {}, .place = kGpu};
          INFO(row->id << " " << name(dtype) << " " << name(layouts.x) << " " << spec.hf << "x" << spec.wf);
          if (const Support support = row->supports(request); !support) {
            ++refused;
            CHECK(support.reason.find('\n') == std::string::npos);
            CHECK(support.reason.size() > 20);
            continue;
          }
          const std::shared_ptr<const Plan> plan = row->plan(request);
          INFO(plan->notes()[0]);
          ++computed;
          CHECK(error_over_bound(*plan, 7) <= 1);
        }
  CHECK(computed > 0);
  CHECK(refused > 0);
}

TEST_CASE("cudnn.best leaves out FFT and Winograd when it is told to", "[gpu]") {
  if (no_gpu()) return;
  const Algorithm& best = *cudnn_rows()[0];
  Request request{.problem = ConvProblem({.n = 16, .ci = 64, .hi = 28, .wi = 28, .co = 64, .hf = 3, .wf = 3}),
                  .options = {}};
  request.place = kGpu;
  request.options = OptionSet::parse("exclude=fft_winograd", best.options);
  const auto plan = best.plan(request);
  CHECK(plan->notes()[1].find("FFT") == std::string::npos);
  CHECK(plan->notes()[1].find("WINOGRAD") == std::string::npos);
  CHECK(plan->notes()[1].find("TENSOR_CORE") == std::string::npos);
  CHECK(error_over_bound(*plan, 3) <= 1);
}

TEST_CASE("cuDNN's f32 rows do not round to TF32", "[gpu]") {
  if (no_gpu()) return;
  const ConvProblem problem({.n = 1, .ci = 8, .hi = 4, .wi = 4, .co = 8, .hf = 1, .wf = 1});
  Inputs inputs = make_inputs(problem, DType::f32, {});
  fill(inputs.x.view(), [](auto...) { return 1 + 0x1p-12; });
  fill(inputs.w.view(), [](auto...) { return 1.0; });
  for (const Algorithm* row : cudnn_rows()) {
    const Request request{.problem = problem, .options = {}, .place = kGpu};
    if (!row->supports(request) || row->id.find("fft") != std::string::npos) continue;
    INFO(row->id);
    for (const double y : run_on_gpu(*row->plan(request), inputs)) CHECK(y == 8 + 0x1p-9);
  }
}

TEST_CASE("cuDNN's calls are recorded as graphs, and run from many threads at once", "[gpu]") {
  if (no_gpu()) return;
  const Algorithm* const row = GENERATE(cudnn_rows()[0], cudnn_rows()[2]);
  const auto plan = row->plan({.problem = ConvProblem(layers()[0]), .options = {}, .place = kGpu});
  const auto work = [&] { return error_over_bound(*plan, 11); };
  std::vector<std::future<double>> threads;
  for (int k = 0; k < 4; ++k) threads.push_back(std::async(std::launch::async, work));
  for (auto& thread : threads) CHECK(thread.get() <= 1);

  const ConvProblem& p = plan->problem();
  const GpuTensor x(DType::f32, Layout::NCHW, p.x_shape()), w(DType::f32, FilterLayout::OIHW, p.w_shape());
  const GpuTensor y(DType::f32, Layout::NCHW, p.y_shape());
  const DeviceBuffer memory(first_gpu(), std::max<std::int64_t>(1, plan->workspace_bytes()));
  const auto call = [&](Stream stream) {
    plan->run({.x = x.view(), .w = w.view(), .bias = {}, .y = y.view()},
              {memory.data(), static_cast<std::size_t>(memory.bytes())}, stream);
  };
  CHECK(first_gpu().measure({call}, {.repeats = 3, .stop = {}})[0].samples_ms.size() == 3);
}
