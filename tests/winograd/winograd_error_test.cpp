// The promises of winograd.ref about rounding, held against random data.
#include "algorithms/check/check.h"
#include "algorithms/winograd/nested.h"
#include "tests/winograd/harness.h"

using namespace winograd_test;

namespace {

// The largest error over its bound, on random problems × types × tiles × magnitudes; fails at the first
// above 1.
double largest_ratio_of_random_problems(std::uint64_t first_seed, std::uint64_t seeds) {
  double most = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed)
    for (DType dtype : kDTypes)
      for (int m : {1, 2, 3, 4, 6, 8})
        for (double scale : {1.0, 1e-3, 1e-7}) {
          const std::uint64_t problem = 10 * seed + static_cast<std::uint64_t>(m);
          const std::string stored = seed % 2 == 0 ? ",stored=tensor" : "";
          const Request request = request_of(random_spec(problem), dtype, "m=" + std::to_string(m) + stored);
          if (!winograd_ref().supports(request)) continue;
          const ConvProblem& p = request.problem;
          const auto plan = winograd_ref().plan(request);
          const Tensors data(request, uniform(3 * seed, p.x_shape(), scale), uniform(3 * seed + 1, p.w_shape(), scale),
                             uniform(3 * seed + 2, {p.co(), 1, 1, 1}, scale * scale));
          const double ratio = largest_ratio(*plan, data, run(*plan, data), direct_sum(request, data));
          CAPTURE(describe(request), seed, scale);
          REQUIRE(ratio <= 1);
          most = std::max(most, ratio);
        }
  return most;
}

}  // namespace

TEST_CASE("no error of winograd.ref exceeds its worst case, which is not idle either") {
  CHECK(largest_ratio_of_random_problems(1, 6) > 0.05);
}

TEST_CASE("no error of winograd.ref exceeds its worst case, at length", "[fuzz]") {
  CHECK(largest_ratio_of_random_problems(1000, 60) > 0.05);
}

TEST_CASE("the worst case holds where everything is subnormal") {
  for (const auto& [dtype, scale] :
       {std::pair{DType::f16, 2e-4}, {DType::bf16, 1e-20}, {DType::f32, 1e-22}, {DType::f64, 1e-161}})
    for (const char* options : {"m=2", "m=4,stored=tensor", "m=4", "m=6", "m=6,stored=tensor"}) {
      const Request request =
          request_of({.n = 2, .ci = 5, .hi = 9, .wi = 8, .co = 4, .hf = 3, .wf = 3, .pad_top = 1}, dtype, options);
      CAPTURE(describe(request));
      const auto plan = winograd_ref().plan(request);
      const Tensors data(request, uniform(7, request.problem.x_shape(), scale),
                         uniform(8, request.problem.w_shape(), scale));
      CHECK(largest_ratio(*plan, data, run(*plan, data), direct_sum(request, data)) <= 1);
    }
}

TEST_CASE("the worst case is missed by a program that drops a tap, and the exact data shows it at once") {
  const Request request = request_of({.ci = 3, .hi = 8, .wi = 8, .co = 2, .hf = 3, .wf = 3}, DType::f32, "m=4");
  const auto plan = winograd_ref().plan(request);
  const Tensors right(request, uniform(1, request.problem.x_shape()), uniform(2, request.problem.w_shape()));
  const Filler w = uniform(2, request.problem.w_shape());
  const Tensors dropped(request, uniform(1, request.problem.x_shape()),
                        [&](auto o, auto c, auto u, auto v) { return u == 2 && v == 1 ? 0 : w(o, c, u, v); });
  CHECK(largest_ratio(*plan, right, run(*plan, dropped), direct_sum(request, right)) > 100);
}

TEST_CASE("on its exact integers winograd.ref is bit for bit the oracle, or within a quarter") {
  for (std::int64_t channels : {1, 3, 130})
    for (const auto& [m, filter] :
         {std::pair{1, 3}, {2, 3}, {3, 3}, {4, 3}, {6, 3}, {8, 3}, {2, 2}, {2, 5}, {4, 5}, {1, 7}, {4, 7}})
      for (DType dtype : kDTypes) {
        const Request request = request_of({.ci = channels, .hi = 13, .wi = 11, .co = 5, .hf = filter, .wf = filter},
                                           dtype, "m=" + std::to_string(m) + (m % 2 == 0 ? ",stored=tensor" : ""));
        if (!winograd_ref().supports(request)) continue;
        CAPTURE(describe(request));
        const auto plan = winograd_ref().plan(request);
        const ExactInputs exact = plan->error_model().exact;
        if (!exact.made) continue;
        const Tensors data(request, integers(5, request.problem.x_shape(), exact.x_max),
                           integers(6, request.problem.w_shape(), exact.w_max, exact.w_unit));
        const std::vector<double> y = values(run(*plan, data).y), expected = direct_sum(request, data).y;
        for (std::size_t k = 0; k < y.size(); ++k) {
          if (exact.bitwise)
            REQUIRE(y[k] == visit(dtype, [&]<class T>() { return static_cast<double>(static_cast<T>(expected[k])); }));
          else
            REQUIRE(std::abs(y[k] - expected[k]) <= 0.25 + unit_roundoff(dtype) * std::abs(expected[k]));
        }
      }
}

TEST_CASE("F(2x2,3x3) and F(4x4,3x3) promise bitwise results in every type, with the units of their denominators") {
  for (DType dtype : kDTypes)
    for (const auto& [options, unit] :
         {std::pair{"m=2", 1}, {"m=4", 9}, {"m=2,stored=tensor", 1}, {"m=4,stored=tensor", 9}}) {
      const ExactInputs exact = winograd_ref()
                                    .plan(request_of({.ci = 512, .hi = 9, .wi = 9, .hf = 3, .wf = 3}, dtype, options))
                                    ->error_model()
                                    .exact;
      CHECK((exact.made && exact.bitwise));
      CHECK(exact.x_max == 2);
      CHECK(exact.w_max == 1);
      CHECK(exact.w_unit == unit);
    }
  // In bf16 the transformed 5x5 filter needs more bits than there are.
  CHECK_FALSE(winograd_ref()
                  .plan(request_of({.hi = 9, .wi = 9, .hf = 5, .wf = 5}, DType::bf16, "stored=tensor"))
                  ->error_model()
                  .exact.made);
}

TEST_CASE(
    "U and V are scaled by the powers of two of their row sums where they are stored in short types, there alone") {
  const auto scales = [](DType dtype, const char* options) {
    const Nested f =
        nest(winograd_ref().plan(request_of({.hi = 9, .wi = 9, .hf = 3, .wf = 3}, dtype, options))->request());
    return std::pair{f.v_exponent, f.u_exponent};
  };
  for (DType dtype : {DType::f16, DType::bf16}) {
    CHECK(scales(dtype, "m=2,stored=tensor") == std::pair{-2, -2});
    CHECK(scales(dtype, "m=4,stored=tensor") == std::pair{-7, 0});
    CHECK(scales(dtype, "m=4") == std::pair{0, 0});
  }
  for (DType dtype : {DType::f32, DType::f64}) CHECK(scales(dtype, "m=4,stored=tensor") == std::pair{0, 0});
}

TEST_CASE("the checker finds every promise of winograd.ref kept, and asks for none that is not made") {
  OracleCache cache;
  for (const char* options :
       {"m=2", "m=2,stored=tensor", "m=4", "m=4,stored=tensor", "m=6", "m=2,points=0,1,-1,1/2,-2"})
    for (const ConvSpec& spec : {ConvSpec{.n = 2, .ci = 6, .hi = 9, .wi = 12, .co = 4, .hf = 3, .wf = 3},
                                 ConvSpec{.ci = 65, .hi = 7, .wi = 10, .co = 3, .hf = 5, .wf = 5, .bias = true}})
      for (DType dtype : kDTypes) {
        const Request request = request_of(spec, dtype, options);
        if (!winograd_ref().supports(request)) continue;
        const CheckResult result = check(winograd_ref(), request, 3, cache);
        CAPTURE(result.reproduce());
        for (const Verdict& verdict : result.verdicts) CHECK((verdict.kept || !verdict.made));
        CHECK(result.passed());
        CHECK(result.verdicts[0].made == winograd_ref().plan(request)->error_model().exact.made);
      }
}
