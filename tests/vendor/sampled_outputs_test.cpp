// The outputs that an engine of cuDNN is held to before it is timed: they are the oracle's, and what is off is seen.
#include "kernels/vendor/sampled_outputs.h"

#include <limits>
#include <set>

#include "algorithms/check/oracle.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/rounded.h"
#include "kernels/common/tensor_cores.h"
#include "tests/catch.h"

using namespace convlens;
using namespace convlens::gpu;

namespace {

const ConvProblem kBiased({.n = 1,
                           .ci = 5,
                           .hi = 14,
                           .wi = 14,
                           .co = 2,
                           .hf = 5,
                           .wf = 3,
                           .stride_h = 2,
                           .stride_w = 3,
                           .pad_bottom = 1,
                           .bias = true});
const ConvProblem kGroups({.n = 3,
                           .ci = 8,
                           .hi = 19,
                           .wi = 23,
                           .co = 12,
                           .hf = 3,
                           .wf = 3,
                           .pad_top = 2,
                           .pad_left = 1,
                           .dilation_w = 2,
                           .groups = 4});

std::uint64_t number(const Shape& at, const Shape& shape) { return static_cast<std::uint64_t>(number_of(at, shape)); }

// What a device that rounds once computes of the tensors that it fills.
std::vector<double> right(const ConvProblem& p, DType dtype) {
  const auto filled = [&](auto layout, const Shape& shape, std::uint64_t key) {
    Tensor tensor(dtype, layout, shape);
    fill(tensor.view(), [&](auto n, auto c, auto h, auto w) {
      return random_uniform(key, number({n, c, h, w}, shape));
    });
    return tensor;
  };
  Inputs inputs{filled(Layout::NCHW, p.x_shape(), kKeyX), filled(FilterLayout::OIHW, p.w_shape(), kKeyW), {}};
  if (p.bias()) inputs.bias = filled(Layout::NCHW, {p.co(), 1, 1, 1}, kKeyBias);
  std::vector<double> y = oracle(p, inputs).y;
  for (double& value : y) value = rounded(dtype, value);
  return y;
}

Verdict compared(const ConvProblem& p, DType dtype, const std::vector<double>& y) {
  return SampledOutputs(p, dtype, uniform_elements(p, dtype))
      .compare([&](const Shape& at) { return y[number(at, p.y_shape())]; }, tensor_core_sum_model(p, dtype));
}

}  // namespace

TEST_CASE("sampled outputs are the oracle's") {
  const DType dtype = GENERATE(DType::f32, DType::f16, DType::bf16);
  for (const ConvProblem& p : {kBiased, kGroups}) {
    const Verdict verdict = compared(p, dtype, right(p, dtype));
    INFO(verdict.line());
    CHECK(verdict.kept);
    CHECK(verdict.ratio > 0);  // rounding is seen
  }
}

TEST_CASE("sampled outputs show a sum that is a little off, a NaN and a wrong output") {
  const std::vector<double> as_it_was = right(kBiased, DType::f16);
  std::vector<double> y = as_it_was;
  for (double& value : y) value += 0x1p-11;
  CHECK_FALSE(compared(kBiased, DType::f16, y).kept);

  const std::size_t last = y.size() - 1;
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), as_it_was[last] + 0.5}) {
    y = as_it_was;
    y[last] = wrong;
    const Verdict verdict = compared(kBiased, DType::f16, y);
    CHECK_FALSE(verdict.kept);
    CHECK(number(*verdict.at, kBiased.y_shape()) == last);
  }
}

TEST_CASE(
    "sampled outputs of given elements: a bias that cancels leaves zeros, and the bias where a tap reads padding") {
  const ConvProblem p(
      {.n = 1, .ci = 1, .hi = 3, .wi = 3, .co = 1, .hf = 3, .wf = 1, .pad_top = 1, .pad_bottom = 1, .bias = true});
  const Elements cancelling{.x = [](const Shape&) { return 1.5; },
                            .w = [](const Shape& at) { return at[2] == 0 ? 1.0 : 0.0; },
                            .bias = [](const Shape&) { return -1.5; }};
  const SampledOutputs samples(p, DType::f16, cancelling);
  const ErrorModel model = tensor_core_sum_model(p, DType::f16);
  CHECK(samples.compare([](const Shape& at) { return at[2] == 0 ? -1.5 : 0; }, model).kept);
  CHECK_FALSE(samples.compare([](const Shape&) { return 0; }, model).kept);
  CHECK_FALSE(samples.compare([](const Shape& at) { return at[2] == 0 ? -1.5 : 0x1p-11; }, model).kept);
}

TEST_CASE("of a large layer a few outputs are sampled, all corners of y among them") {
  const ConvProblem large({.n = 256, .ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 3, .wf = 3});
  std::set<std::uint64_t> read;
  const auto note = [&](const Shape& at) {
    read.insert(number(at, large.y_shape()));
    return 0.0;
  };
  SampledOutputs(large, DType::f32, uniform_elements(large, DType::f32))
      .compare(note, tensor_core_sum_model(large, DType::f32));
  CHECK(read.size() > 250);
  CHECK(read.size() <= SampledOutputs::kMost);
  for (const std::int64_t n : {0, 255})
    for (const std::int64_t o : {0, 63})
      for (const std::int64_t row : {0, 221})
        for (const std::int64_t column : {0, 221}) CHECK(read.contains(number({n, o, row, column}, large.y_shape())));
}
