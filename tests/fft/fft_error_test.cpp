// The bound of fft_error.h holds for random, constant and lonely data, in every type and with every option.
#include "tests/fft/fft_support.h"

using namespace fft_test;

namespace {

enum class Kind { uniform, constant, lonely, steps, tiny };

// Data that errors of a transform show in: a constant has all its energy in one bin, one lonely element spreads evenly.
void fill_with(Tensors& t, Kind kind, Dice& dice) {
  const std::uint64_t seed = static_cast<std::uint64_t>(dice(1, 1 << 30));
  t.fill_uniform(seed);
  const auto set = [&](Tensor& tensor, const Filler& value) { fill(tensor.view(), value); };
  if (kind == Kind::constant) {
    for (Tensor* tensor : {&t.x, &t.w}) set(*tensor, [](auto...) { return 0.7; });
  } else if (kind == Kind::lonely) {
    for (Tensor* tensor : {&t.x, &t.w}) {
      const auto [n, c, h, w] = tensor->shape();
      const std::int64_t a = dice(0, h - 1), b = dice(0, w - 1);
      set(*tensor, [=](auto, auto, auto i, auto j) { return i == a && j == b ? 0.9 : 0.0; });
    }
  } else if (kind == Kind::steps) {
    for (Tensor* tensor : {&t.x, &t.w})
      set(*tensor, [](auto, auto, auto i, auto j) { return (i + j) % 2 ? 30 : 0.03; });
  } else if (kind == Kind::tiny) {
    set(t.x, [&](auto n, auto c, auto i, auto j) {
      return random_uniform(seed, static_cast<std::uint64_t>(n + 7 * c + 31 * i + 997 * j)) * 0x1p-140;
    });
  }
}

}  // namespace

TEST_CASE("the error of fft.ref never exceeds its bound") {
  if (!can_run()) return;
  Dice dice{GENERATE(1u, 2u, 3u)};
  for (int k = 0; k < 400; ++k) {
    const ConvProblem problem = random_problem(dice);
    const DType dtype = dice.pick(kDTypes);
    const std::string options = dice.pick(option_texts());
    const Request request = request_of(problem, dtype, options);
    if (!fft_ref().supports(request)) continue;
    const auto plan = fft_ref().plan(request);
    Tensors t(request);
    const Kind kind = static_cast<Kind>(dice(0, 4));
    fill_with(t, kind, dice);
    run_poisoned(*plan, t);
    const double ratio = error_ratio(*plan, t);
    CAPTURE(k, name(dtype), options, static_cast<int>(kind));
    CHECK(ratio <= 1);
  }
}
