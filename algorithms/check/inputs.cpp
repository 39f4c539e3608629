// The data of a check: uniform numbers, or integers so small that every intermediate of a row is exact.
//
// Value number k goes to element number k (algorithms/tensor/numbering.h), so the same data serves every layout. x, w
// and bias are separate streams of one seed.
#include <algorithm>

#include "algorithms/check/oracle.h"
#include "algorithms/error.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"

namespace convlens {

namespace {

enum Stream : std::uint64_t { kX, kW, kBias, kSparsity };

// Integers up to this size, and sums of them, are exact in f32.
constexpr std::int64_t kExact = std::int64_t{1} << 24;

// About how many channels of one pixel are not zero where a transform makes intermediates larger than the result.
constexpr double kBusyChannels = 64;

std::uint64_t counter(const Shape& shape, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<std::uint64_t>(number_of({n, c, h, w}, shape));
}

// Makes a tensor whose element number k is value(k).
template <class AnyLayout, class Value>
Tensor filled(DType dtype, AnyLayout layout, const Shape& shape, const Value& value) {
  Tensor tensor(dtype, layout, shape);
  fill(tensor.view(), [&](auto n, auto c, auto h, auto w) { return value(counter(shape, n, c, h, w)); });
  return tensor;
}

template <class X, class W, class B>
Inputs filled(const ConvProblem& problem, DType dtype, const X& x, const W& w, const B& bias) {
  Inputs inputs;
  inputs.x = filled(dtype, Layout::NCHW, problem.x_shape(), x);
  inputs.w = filled(dtype, FilterLayout::OIHW, problem.w_shape(), w);
  if (problem.bias()) inputs.bias = filled(dtype, Layout::NCHW, {problem.co(), 1, 1, 1}, bias);
  return inputs;
}

// `exact` with its ranges shrunk, where it must be, until Σ|x||w| + |bias| < 2²⁴ for every output.
ExactInputs fitted(ExactInputs exact, const ConvProblem& problem) {
  const std::int64_t terms = problem.reduction() + 1;
  if (terms >= kExact)
    throw Unsupported("reduction: " + std::to_string(terms - 1) + ", must be < 2^24 - 1 to be checked with integers");
  while (terms * exact.x_max * exact.w_max >= kExact && std::max(exact.x_max, exact.w_max) > 1)
    --(exact.x_max >= exact.w_max ? exact.x_max : exact.w_max);
  return exact;
}

// Whether a row with these inputs transforms them, so that a long reduction needs sparse x to stay exact.
bool transforms(const ExactInputs& exact) { return exact.x_max <= 2 || exact.w_unit != 1 || !exact.bitwise; }

Inputs integers(const ConvProblem& problem, DType dtype, const ExactInputs& asked, std::uint64_t seed) {
  const ExactInputs exact = transforms(asked) ? asked : fitted(asked, problem);
  const double share = transforms(asked) ? kBusyChannels / static_cast<double>(problem.ci_per_group()) : 1;
  const auto x = [=](std::uint64_t k) -> double {
    const bool busy = share >= 1 || (random_uniform(random_bits(seed, kSparsity), k) + 1) / 2 < share;
    return busy ? static_cast<double>(random_integer(random_bits(seed, kX), k, -exact.x_max, exact.x_max)) : 0.0;
  };
  // No weight is zero: the lack of a tap with weight zero would go unseen.
  const auto w = [=](std::uint64_t k) {
    const std::int64_t number = random_integer(random_bits(seed, kW), k, -exact.w_max, exact.w_max - 1);
    return static_cast<double>(exact.w_unit * (number >= 0 ? number + 1 : number));
  };
  const auto bias = [=](std::uint64_t k) {
    return static_cast<double>(random_integer(random_bits(seed, kBias), k, -exact.x_max, exact.x_max));
  };
  return filled(problem, dtype, x, w, bias);
}

}  // namespace

Inputs make_inputs(const ConvProblem& problem, DType dtype, const Data& data) {
  if (data.kind == Data::Kind::integers) return integers(problem, dtype, data.exact, data.seed);
  const auto uniform = [&](Stream stream) {
    return [key = random_bits(data.seed, stream)](std::uint64_t k) { return random_uniform(key, k); };
  };
  return filled(problem, dtype, uniform(kX), uniform(kW), uniform(kBias));
}

}  // namespace convlens
