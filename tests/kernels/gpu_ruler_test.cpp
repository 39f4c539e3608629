// The ruler on a GPU: it times the device's work, and nothing of the host's.
#include <chrono>
#include <thread>

#include "kernels/direct/direct.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

// One call of direct.cc on a layer of `images` images.
struct SomeCall {
  explicit SomeCall(std::int64_t images, std::int64_t channels = 32)
      : problem({.n = images, .ci = channels, .hi = 30, .wi = 30, .co = channels, .hf = 3, .wf = 3}),
        plan(direct_cc().plan({.problem = problem, .place = kGpu})),
        x(DType::f32, Layout::NCHW, problem.x_shape()),
        w(DType::f32, FilterLayout::OIHW, problem.w_shape()),
        y(DType::f32, Layout::NCHW, problem.y_shape()),
        workspace(first_gpu(), plan->workspace_bytes()) {
    first_gpu().fill_uniform(x.view(), 1);
    first_gpu().fill_uniform(w.view(), 2);
  }
  void operator()(Stream stream) const {
    plan->run({.x = x.view(), .w = w.view(), .bias = {}, .y = y.view()}, workspace.span(), stream);
  }

  ConvProblem problem;
  std::shared_ptr<const Plan> plan;
  GpuTensor x, w, y;
  DeviceBuffer workspace;
};

}  // namespace

TEST_CASE("samples are as many as asked, and grow with the work", "[gpu]") {
  if (no_gpu()) return;
  const bool cold = GENERATE(false, true);
  const SomeCall small(512), large(2048);  // enough to fill the GPU
  const auto timings =
      first_gpu().measure({std::cref(small), std::cref(large)}, {.warmup = 3, .repeats = 12, .cold_cache = cold});
  REQUIRE(timings.size() == 2);
  for (const Timing& timing : timings) {
    CHECK(timing.samples_ms.size() == 12);
    CHECK(timing.warmup == 3);
    CHECK_FALSE(timing.interrupted);
    CHECK(timing.min_ms() > 0);
  }
  const double ratio = timings[1].min_ms() / timings[0].min_ms();  // the least: others may use the GPU as well
  CHECK(ratio > 2.5);
  CHECK(ratio < 5);
  WARN((cold ? "cold " : "warm ") << timings[0].min_ms() << " ms, spread " << timings[0].spread() << "; four times "
                                  << "the work: " << timings[1].min_ms() << " ms, spread " << timings[1].spread());
}

TEST_CASE("the host's time is not measured", "[gpu]") {
  if (no_gpu()) return;
  const bool cold = GENERATE(false, true);
  const SomeCall call(1);
  const auto slow_host = [&](Stream stream) {
    call(stream);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  };
  const auto timings =
      first_gpu().measure({std::cref(call), slow_host}, {.warmup = 2, .repeats = 20, .cold_cache = cold});
  WARN((cold ? "cold " : "warm ") << "quick host " << timings[0].median_ms() << " ms, slow host "
                                  << timings[1].median_ms() << " ms");
  CHECK(timings[0].median_ms() < 0.1);
  CHECK(timings[1].median_ms() < 1.3 * timings[0].median_ms());
}

TEST_CASE("the smallest call is measured as microseconds", "[gpu]") {
  if (no_gpu()) return;
  const bool cold = GENERATE(false, true);
  const SomeCall call(1, 1);
  const Timing timing =
      first_gpu().measure({std::cref(call)}, {.warmup = 2, .repeats = 30, .cold_cache = cold}).front();
  WARN((cold ? "cold " : "warm ") << 1e3 * timing.median_ms() << " us, least " << 1e3 * timing.min_ms() << " us");
  CHECK(timing.median_ms() < 0.02);
}

TEST_CASE("a measurement that is stopped keeps what it has", "[gpu]") {
  if (no_gpu()) return;
  const SomeCall call(4);
  int polls = 0;
  const auto timings = first_gpu().measure({std::cref(call), std::cref(call)},
                                           {.warmup = 2, .repeats = 10, .stop = [&] { return ++polls > 9; }});
  for (const Timing& timing : timings) CHECK(timing.interrupted);
  CHECK(timings[0].samples_ms.size() + timings[1].samples_ms.size() == 5);
}

TEST_CASE("an execution costs the host a few microseconds", "[gpu]") {
  if (no_gpu()) return;
  const SomeCall call(1);
  call({});
  first_gpu().synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 200; ++k) call({});
  const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / 200;
  first_gpu().synchronize();
  WARN("an execution takes the host " << us << " us");
  CHECK(us < 30);
}

TEST_CASE("the ceilings of a GPU are plausible", "[gpu]") {
  if (no_gpu()) return;
  const DeviceCeilings ceilings = first_gpu().ceilings();
  WARN("copy " << ceilings.copy_tbytes << " TB/s, f32 " << ceilings.f32_tflops << " TFLOPS, f16 " << ceilings.f16_tflops
               << " TFLOPS");
  CHECK(ceilings.copy_tbytes > 0.05);
  CHECK(ceilings.f32_tflops > 0.5);
  CHECK(ceilings.f16_tflops > ceilings.f32_tflops);
}
