// cuDNN's rows on a GPU: what they compute is within their bounds, and what they refuse they refuse in words.
#include <future>

#include "algorithms/check/check.h"
#include "algorithms/check/trial.h"
#include "algorithms/problem/parse.h"
#include "kernels/vendor/cudnn.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

const Layouts kChannelsFirst{}, kChannelsLast{Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};

Request on_gpu(const ConvSpec& spec, DType dtype = DType::f32, const Layouts& layouts = kChannelsFirst) {
  return {.problem = ConvProblem(spec), .dtype = dtype, .layouts = layouts, .options = {}, .place = kGpu};
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
  const DType dtype = GENERATE(DType::f32, DType::f16, DType::bf16);
  OracleCache cache;
  int computed = 0, refused = 0;
  for (const ConvSpec& spec : layers())
    for (const Layouts& layouts : {kChannelsFirst, kChannelsLast})
      for (const Algorithm* row : cudnn_rows()) {
        const Request request = on_gpu(spec, dtype, layouts);
        INFO(row->id << " " << name(dtype) << " " << name(layouts.x) << " " << spec.hf << "x" << spec.wf);
        const Support support = row->supports(request);
        support ? ++computed : ++refused;
        if (!support) {
          CHECK(support.reason.find('\n') == std::string::npos);
          CHECK(support.reason.size() > 20);
          continue;
        }
        const std::shared_ptr<const Plan> plan = row->plan(request);
        INFO(plan->notes()[0]);
        const Verdict verdict = check_worst_case(plan, 7, cache);
        INFO(verdict.line());
        CHECK(verdict.kept);
      }
  CHECK(computed > 0);
  CHECK(refused > 0);
}

TEST_CASE("cudnn.best leaves out FFT and Winograd when it is told to", "[gpu]") {
  if (no_gpu()) return;
  const Algorithm& best = *cudnn_rows()[0];
  Request request = on_gpu({.n = 16, .ci = 64, .hi = 28, .wi = 28, .co = 64, .hf = 3, .wf = 3});
  request.options = OptionSet::parse("exclude=fft_winograd", best.options);
  const auto plan = best.plan(request);
  for (const char* note : {"FFT", "WINOGRAD", "TENSOR_CORE"}) CHECK(plan->notes()[1].find(note) == std::string::npos);
  OracleCache cache;
  CHECK(check_worst_case(plan, 3, cache).kept);
}

// Some engines of cuDNN 9 give 0.002 for −4 + 4, or NaN for some 9×1 filters; on small layers they may be the fastest.
TEST_CASE("cudnn.best leaves out engines that are wrong, so that it is right to the bit", "[gpu]") {
  if (no_gpu()) return;
  const auto problem = GENERATE("1x5x14x14 --filter 2x5x3 --stride 2x3 --pad 0x0x1x0 --bias",
                                "2x16x14x14 --filter 16x1x1 --bias", "1x14x17x14 --filter 2x2x2 --pad 0x0x1x0 --bias",
                                "2x40x5x2 --filter 3x9x1 --stride 1x3 --pad 3x1x0x0 --dilation 1x2");
  const DType dtype = GENERATE(DType::f16, DType::bf16);
  OracleCache cache;
  const auto plan = cudnn_rows()[0]->plan(on_gpu(parse_spec(problem), dtype));
  for (const std::uint64_t seed : {5u, 7u, 28247u}) {
    const Verdict verdict = check_exact(plan, seed, cache);
    INFO(problem << ", " << name(dtype) << ", " << plan->notes()[0] << ", " << plan->notes()[2]);
    INFO(verdict.line());
    CHECK(verdict.kept);
  }
}

TEST_CASE("cuDNN's f32 rows do not round to TF32", "[gpu]") {
  if (no_gpu()) return;
  const Request request = on_gpu({.n = 1, .ci = 8, .hi = 4, .wi = 4, .co = 8, .hf = 1, .wf = 1});
  Inputs inputs = make_inputs(request.problem, DType::f32, {});
  fill(inputs.x.view(), [](auto...) { return 1 + 0x1p-12; });
  fill(inputs.w.view(), [](auto...) { return 1.0; });
  for (const Algorithm* row : cudnn_rows()) {
    if (!row->supports(request) || row->id.find("fft") != std::string::npos) continue;
    INFO(row->id);
    for (const double y : Trial(row->plan(request), inputs).run()) CHECK(y == 8 + 0x1p-9);
  }
}

TEST_CASE("cuDNN's calls are recorded as graphs, and run from many threads at once", "[gpu]") {
  if (no_gpu()) return;
  const std::size_t which = GENERATE(0, 2);  // an engine, and an algorithm of the legacy interface
  const auto plan = cudnn_rows()[which]->plan(on_gpu(layers()[0]));
  OracleCache cache;
  std::vector<std::future<Verdict>> threads;
  for (int k = 0; k < 4; ++k)
    threads.push_back(std::async(std::launch::async, [&] { return check_worst_case(plan, 11, cache); }));
  for (auto& thread : threads) CHECK(thread.get().kept);

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
