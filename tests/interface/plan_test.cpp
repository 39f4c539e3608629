// Plans: what they check before they run, how they cut the workspace, and what a request without an answer is told.
#include <array>
#include <cstdint>
#include <thread>
#include <utility>

#include "algorithms/error.h"
#include "algorithms/im2col/im2col.h"
#include "algorithms/interface/algorithm.h"
#include "algorithms/interface/registry.h"
#include "algorithms/tensor/tensor.h"
#include "tests/catch.h"

namespace {

using namespace convlens;

// A small layer with everything in order; a test puts one thing out of order.
struct Call {
  ConvProblem problem;
  Tensor x, w, bias, y;
  HostBuffer memory;
  Arguments arguments;
  std::shared_ptr<const Plan> plan;

  explicit Call(bool with_bias, std::int64_t n = 2)
      : problem({.n = n, .ci = 3, .hi = 5, .wi = 4, .co = 2, .hf = 3, .wf = 2, .bias = with_bias}),
        x(DType::f32, Layout::NCHW, problem.x_shape()),
        w(DType::f32, FilterLayout::OIHW, problem.w_shape()),
        bias(DType::f32, Layout::NCHW, {2, 1, 1, 1}),
        y(DType::f32, Layout::NCHW, problem.y_shape()),
        plan(im2col_ref().plan({problem})) {
    for (Tensor* tensor : {&x, &w, &bias}) fill(tensor->view(), [](auto, auto, auto, auto) { return 1.0; });
    memory = HostBuffer(plan->workspace_bytes());
    arguments = {std::as_const(x).view(), std::as_const(w).view(), {}, y.view()};
    if (with_bias) arguments.bias = {bias.view().data, DType::f32, 2};
  }

  void run(std::int64_t short_by = 0) const {
    plan->run(arguments, {memory.data(), static_cast<std::size_t>(memory.bytes() - short_by)});
  }
  std::string complaint(std::int64_t short_by = 0) const {
    try {
      run(short_by);
    } catch (const BadInput& bad) {
      return bad.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a plan runs when everything is in order") {
  Call plain(false), biased(true);
  CHECK(plain.complaint() == "");
  CHECK(element(plain.y.view(), 1, 1, 2, 2) == 18);
  CHECK(biased.complaint() == "");
  CHECK(element(biased.y.view(), 1, 1, 2, 2) == 19);
}

TEST_CASE("a plan names the argument that is not as it was planned") {
  Call call(false);
  call.arguments.x.shape[2] = 6;
  CHECK(call.complaint() == "x: shape 2x3x6x4, must be 2x3x5x4");
  call = Call(false);
  call.arguments.w.shape = {2, 3, 2, 3};
  CHECK(call.complaint() == "w: shape 2x3x2x3, must be 2x3x3x2");
  call = Call(false);
  call.arguments.y.shape[0] = 1;
  CHECK(call.complaint() == "y: shape 1x2x3x3, must be 2x2x3x3");
  call = Call(false);
  call.arguments.w.dtype = DType::f16;
  CHECK(call.complaint() == "w: type f16, must be f32");
  call = Call(false);
  call.arguments.y.place = {Place::Kind::device, 0};
  CHECK(call.complaint() == "y: is not in the place the plan was made for");
}

TEST_CASE("a plan wants a bias exactly where the problem has one") {
  Call biased(true);
  biased.arguments.bias = {};
  CHECK(biased.complaint() == "bias: must hold 2 values of type f32");
  biased = Call(true);
  biased.arguments.bias.size = 3;
  CHECK(biased.complaint() == "bias: must hold 2 values of type f32");
  biased = Call(true);
  biased.arguments.bias.dtype = DType::f64;
  CHECK(biased.complaint() == "bias: must hold 2 values of type f32");
  Call plain(false);
  plain.arguments.bias = {plain.bias.view().data, DType::f32, 2};
  CHECK(plain.complaint() == "bias: given, but the problem has none");
}

TEST_CASE("a plan wants its whole workspace") {
  const Call call(false);
  const std::string bytes = std::to_string(call.plan->workspace_bytes());
  CHECK(call.complaint(1) ==
        "workspace: " + std::to_string(call.plan->workspace_bytes() - 1) + " bytes, must be ≥ " + bytes);
}

TEST_CASE("an empty batch runs and computes nothing") { CHECK(Call(false, 0).complaint() == ""); }

TEST_CASE("buffers are aligned to 64 bytes, don't overlap, and their bytes add up to the workspace") {
  const Call call(false);
  std::int64_t sum = 0, end = 0;
  for (const Buffer& buffer : call.plan->workspace()) {
    sum += buffer.bytes;
    if (buffer.name == "alignment") continue;
    CHECK(buffer.offset % 64 == 0);
    CHECK(buffer.offset >= end);
    end = buffer.offset + buffer.bytes;
  }
  CHECK(sum == call.plan->workspace_bytes());
  CHECK(end == call.plan->workspace_bytes());
  CHECK(call.plan->workspace()[0].name == "im2col");
  CHECK(call.plan->workspace()[0].bytes == 9 * 18 * 4);
}

TEST_CASE("a memory limit refuses before anything is allocated, and says what is too large") {
  Request request{Call(false).problem};
  const std::int64_t needed = im2col_ref().plan(request)->workspace_bytes() + request.tensor_bytes();
  request.memory_limit = needed;
  CHECK(im2col_ref().supports(request));
  request.memory_limit = needed - 1;
  const Support refused = im2col_ref().supports(request);
  CHECK_FALSE(refused);
  CHECK_THAT(refused.reason,
             Catch::Matchers::Contains("im2col 648") &&
                 Catch::Matchers::Contains("must be ≤ the memory limit of " + std::to_string(needed - 1)));
  CHECK_THROWS_AS(im2col_ref().plan(request), Unsupported);
}

TEST_CASE("tensors that alone exceed the memory limit are refused as such, by every row with the same words") {
  Request request{Call(false).problem};
  request.memory_limit = request.tensor_bytes() - 1;
  const std::string said = "tensors: x " + std::to_string(request.x_bytes()) + " + w " +
                           std::to_string(request.w_bytes()) + " + y " + std::to_string(request.y_bytes()) +
                           " bytes, must be ≤ the memory limit of " + std::to_string(*request.memory_limit) +
                           " bytes, whatever the row";
  for (const Algorithm* row : algorithms()) {
    if (row->unit != Unit::cpu || row->missing) continue;
    INFO(row->id);
    CHECK(row->supports(request).reason == said);
  }
  request.memory_limit = request.tensor_bytes();
  CHECK_THAT(im2col_ref().supports(request).reason, Catch::Matchers::StartsWith("im2col.ref: workspace "));
}

TEST_CASE("a rule's refusal, or a build that lacks something, is what support says") {
  Algorithm row = im2col_ref();
  row.rules = {{"stride 1", [](const Request&) { return Refusal{"row needs stride 1, got 2x1", {}}; }}};
  CHECK(row.supports({Call(false).problem}).reason == "row needs stride 1, got 2x1");
  row = im2col_ref();
  row.missing = [] { return "built without a thing"; };
  CHECK(row.supports({Call(false).problem}).reason == "im2col.ref: built without a thing");
}

TEST_CASE("one plan runs in several threads at once") {
  std::array<std::unique_ptr<Call>, 4> calls;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    calls[k] = std::make_unique<Call>(false);
    calls[k]->plan = calls[0]->plan;
    fill(calls[k]->w.view(), [&](auto, auto, auto, auto) { return static_cast<double>(k + 1); });
  }
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (std::size_t k = 0; k < calls.size(); ++k)
    threads.emplace_back([&, k] {
      for (int repeat = 0; repeat < 100; ++repeat) {
        calls[k]->run();
        wrong[k] += element(calls[k]->y.view(), 1, 1, 2, 2) != 18.0 * static_cast<double>(k + 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
}
