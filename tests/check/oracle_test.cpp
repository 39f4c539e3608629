#include "algorithms/check/oracle.h"

#include <cmath>
#include <limits>
#include <set>

#include "algorithms/check/fuzz.h"
#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

struct Sums {
  long double y = 0, sum_abs = 0;
};

// The definition, with 11 bits more than float64 has.
Sums direct_sum(const ConvProblem& p, const Inputs& in, const Shape& at) {
  const auto [n, o, row, column] = at;
  Sums sums;
  if (p.bias()) sums = {get(in.bias.view(), {o, 0, 0, 0}), std::abs(get(in.bias.view(), {o, 0, 0, 0}))};
  for_each({1, p.ci_per_group(), p.hf(), p.wf()}, [&, o = o, n = n, row = row, column = column](const Shape& tap) {
    const auto [zero, c, u, v] = tap;
    const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
    const bool inside = h >= 0 && h < p.hi() && w >= 0 && w < p.wi();
    const long double x = inside ? get(in.x.view(), {n, p.group_of_output(o) * p.ci_per_group() + c, h, w}) : 0;
    const long double weight = get(in.w.view(), {o, c, u, v});
    sums.y += x * weight;
    sums.sum_abs += std::abs(x * weight);
  });
  return sums;
}

}  // namespace

TEST_CASE("the oracle is the definition, on random problems of every type", "[oracle]") {
  for (std::uint64_t index = 0; index < 120; ++index) {
    const ConvProblem p = random_problem(3, index);
    if (p.multiplications() > 1 << 16) continue;
    const DType dtype = kDTypes[index % 4];
    const Inputs inputs = make_inputs(p, dtype, {.seed = index});
    const Answer answer = oracle(p, inputs);
    REQUIRE(answer.y.size() == static_cast<std::size_t>(elements(p.y_shape())));
    std::size_t k = 0;
    bool right = true;
    for_each(p.y_shape(), [&](const Shape& at) {
      const Sums sums = direct_sum(p, inputs, at);
      const double terms = static_cast<double>(p.reduction() + 2);
      const double sum_abs = static_cast<double>(sums.sum_abs);
      // The compensated sum is right to the last bit of y; the plain one to K roundings.
      const double y = std::abs(static_cast<double>(sums.y));
      const double allowed = dtype == DType::f64 ? 0x1p-53 * y + terms * 0x1p-63 * sum_abs : terms * 0x1p-52 * sum_abs;
      right = right && std::abs(static_cast<double>(answer.y[k] - sums.y)) <= allowed;
      right = right && std::abs(static_cast<double>(answer.sum_abs[k] - sums.sum_abs)) <= terms * 0x1p-52 * sum_abs;
      ++k;
    });
    CHECK(right);
  }
}

TEST_CASE("the oracle of f64 tensors does not lose what cancels", "[oracle]") {
  const ConvProblem p({.ci = 3, .hi = 1, .wi = 2, .co = 1});
  Inputs inputs = make_inputs(p, DType::f64, {});
  for (std::int64_t w : {0, 1}) {
    set(inputs.x.view(), {0, 0, 0, w}, 1e16);
    set(inputs.x.view(), {0, 1, 0, w}, 1 + 0x1p-30);
    set(inputs.x.view(), {0, 2, 0, w}, -1e16);
  }
  set(inputs.w.view(), {0, 0, 0, 0}, 1);
  set(inputs.w.view(), {0, 1, 0, 0}, 1 - 0x1p-30);
  set(inputs.w.view(), {0, 2, 0, 0}, 1);
  CHECK(oracle(p, inputs).y == std::vector<double>(2, 1 - 0x1p-60));
}

TEST_CASE("the oracle multiplies the zeros of the padding", "[oracle]") {
  const ConvProblem p(
      {.hi = 4, .wi = 4, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1});
  for (DType dtype : kDTypes) {
    Inputs inputs = make_inputs(p, dtype, {});
    for (const TensorView& view : {inputs.x.view(), inputs.w.view()}) fill(view, [](auto...) { return 1.0; });
    set(inputs.w.view(), {0, 0, 0, 0}, std::numeric_limits<double>::infinity());
    const Answer answer = oracle(p, inputs);
    std::size_t k = 0;
    for_each(p.y_shape(), [&](const Shape& at) {
      const double y = answer.y[k++];
      CHECK((at[2] == 0 || at[3] == 0 ? std::isnan(y) : y == std::numeric_limits<double>::infinity()));
    });
  }
}

TEST_CASE("the oracle's memory does not follow a stride beyond the image", "[oracle]") {
  const ConvProblem p({.hi = 3, .wi = 3, .hf = 2, .wf = 2, .stride_h = 1'000'000'000, .stride_w = 1'000'000'000});
  const Inputs inputs = make_inputs(p, DType::f32, {});
  CHECK(oracle(p, inputs).y.front() == Approx(static_cast<double>(direct_sum(p, inputs, {}).y)));
}

TEST_CASE("data are of the asked type, and x, w and bias are different streams", "[oracle]") {
  const ConvProblem p({.n = 1, .ci = 4, .hi = 1, .wi = 1, .co = 4, .bias = true});
  const Inputs in = make_inputs(p, DType::f64, {});
  std::set<double> values;
  for (std::int64_t k = 0; k < 4; ++k) {
    values.insert(get(in.x.view(), {0, k, 0, 0}));
    values.insert(get(in.w.view(), {0, k, 0, 0}));
    values.insert(get(in.bias.view(), {k, 0, 0, 0}));
  }
  CHECK(values.size() == 12);
  CHECK(*values.begin() >= -1);
  CHECK(*values.rbegin() < 1);
  CHECK(make_inputs(p, DType::bf16, {}).x.dtype() == DType::bf16);
  CHECK(make_inputs(ConvProblem({.co = 2}), DType::f32, {}).bias.size() == 0);
}

TEST_CASE("integers stay within their ranges, no weight is zero, and sums stay below 2^24", "[oracle]") {
  const auto check_ranges = [](const ConvProblem& p, const ExactInputs& exact) {
    const Inputs in = make_inputs(p, DType::f32, {Data::Kind::integers, exact, 9});
    for_each(p.x_shape(), [&](const Shape& at) {
      const double x = get(in.x.view(), at);
      if (std::abs(x) > exact.x_max || x != std::floor(x)) FAIL("x = " << x);
    });
    for_each(p.w_shape(), [&](const Shape& at) {
      const double w = get(in.w.view(), at) / static_cast<double>(exact.w_unit);
      if (w == 0 || std::abs(w) > exact.w_max || w != std::floor(w)) FAIL("w = " << w);
    });
    return oracle(p, in);
  };
  for (std::int64_t ci : {1, 9, 512, 3'000'000}) {
    const ConvProblem p({.ci = ci, .hi = 1, .wi = 2, .co = 1, .bias = true});
    for (double sum : check_ranges(p, {}).sum_abs) CHECK(sum < 0x1p24);
  }
  const ConvProblem p({.ci = 40, .hi = 5, .wi = 5, .co = 6, .hf = 3, .wf = 3});
  check_ranges(p, {.x_max = 2, .w_max = 1, .w_unit = 9});
  const ConvProblem endless({.ci = 1 << 24, .co = 1});
  CHECK_THROWS_AS(make_inputs(endless, DType::f32, {Data::Kind::integers, {}, 1}), Unsupported);
}

TEST_CASE("a transform's integers are sparse over channels, and every channel is used", "[oracle]") {
  const ConvProblem p({.ci = 512, .hi = 14, .wi = 14, .co = 1, .hf = 3, .wf = 3});
  const Inputs in = make_inputs(p, DType::f32, {Data::Kind::integers, {.x_max = 2, .w_max = 1, .w_unit = 9}, 5});
  double busy = 0;
  for (std::int64_t c = 0; c < p.ci(); ++c) {
    double of_channel = 0;
    for_each({1, 1, p.hi(), p.wi()}, [&](const Shape& at) {
      of_channel += get(in.x.view(), {0, c, at[2], at[3]}) != 0;
    });
    CHECK(of_channel > 0);
    busy += of_channel;
  }
  CHECK(busy / static_cast<double>(p.hi() * p.wi()) == Approx(64 * 4 / 5.0).epsilon(0.1));  // a fifth of {−2 … 2} is 0
}

TEST_CASE("an answer is computed once, shared, and forgotten when many came after it", "[oracle]") {
  OracleCache cache;
  const ConvProblem p({.hi = 3, .wi = 3, .co = 2, .hf = 2, .wf = 2});
  const auto entry = cache.get(p, DType::f32, {});
  CHECK(cache.get(p, DType::f32, {}) == entry);
  CHECK(cache.get(p, DType::f16, {}) != entry);
  CHECK(cache.get(p, DType::f32, {.seed = 2}) != entry);
  CHECK(cache.get(p, DType::f32, {Data::Kind::integers, {}, 1}) != entry);
  CHECK(cache.get(p.with_batch(2), DType::f32, {}) != entry);
  for (std::uint64_t seed = 0; seed < 40; ++seed) cache.get(p, DType::f64, {.seed = seed});
  const auto again = cache.get(p, DType::f32, {});
  CHECK(again != entry);
  CHECK(again->answer.y == entry->answer.y);
}
