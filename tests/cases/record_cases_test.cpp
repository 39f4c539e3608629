// Cases about what a measurement says: FLOP counts, decimals in any locale, NaN in strict JSON, what was
// timed.
#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>

#include "algorithms/measure/record.h"
#include "algorithms/measure/session.h"
#include "tests/catch.h"
#include "tests/support/conv_tester.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

ConvProblem padded(ConvSpec spec, std::int64_t pad) {
  spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = pad;
  return ConvProblem(spec);
}

// A decimal comma and thousands in dots, for C++ streams, for as long as the object lives.
class DecimalComma {
 public:
  DecimalComma() : before_(std::locale::global(std::locale(std::locale::classic(), new Punctuation))) {}
  ~DecimalComma() { std::locale::global(before_); }

 private:
  struct Punctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

// The fields of one line of RFC 4180, quotes left out.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all{""};
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

const ConvProblem& small_layer() {
  static const ConvProblem problem = padded({.n = 2, .ci = 2, .hi = 16, .wi = 16, .co = 2, .hf = 3, .wf = 3}, 1);
  return problem;
}

std::shared_ptr<const Plan> plan_of(const Variant& variant, const ConvProblem& problem) {
  return variant.row->plan({problem, DType::f32, {}, variant.options, Place{}, 1});
}

Measurement measured(const Plan& plan, Timing timing) {
  return {.plan = plan, .layer = "", .timing = std::move(timing), .bytes = planned_bytes(plan)};
}

}  // namespace

TEST_CASE("B27: FLOPs are twice the multiplications of the direct sum, groups taken into account", "[cases]") {
  const ConvProblem depthwise = padded({.ci = 32, .hi = 28, .wi = 28, .co = 64, .hf = 3, .wf = 3, .groups = 32}, 1);
  const ConvProblem ragged({.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3});
  const ConvProblem large = padded({.n = 32, .ci = 256, .hi = 56, .wi = 56, .co = 256, .hf = 3, .wf = 3}, 1);
  CHECK(depthwise.flops() == 903168);
  CHECK(ragged.flops() == 7560);
  CHECK(large.flops() == 118380036096);
  CHECK(tflops(depthwise.flops(), 1.0) * 1000 == Approx(0.903168));  // GFLOP/s = FLOP / time / 10⁹

  for (const Variant& variant : variants())
    for (const ConvProblem& problem : {depthwise, ragged, large}) {
      if (!variant.row->supports({problem, DType::f32, {}, variant.options})) continue;
      const auto plan = plan_of(variant, problem);
      INFO(variant.name());
      CHECK(plan->flops() == problem.flops());
      CHECK(plan->executed_flops() > 0);
      // What a row that transforms executes is another number, which is why its rate is called effective.
      if (transforms(*variant.row)) CHECK(plan->executed_flops() != plan->flops());
    }
}

TEST_CASE("B17: an empty batch does no work, and no rate is made up for it", "[cases]") {
  CHECK(std::isnan(tflops(0, 1.0)));
  CHECK(std::isnan(tflops(7560, 0.0)));
  for (const Variant& variant : variants()) {
    const auto plan = plan_of(variant, small_layer().with_batch(0));
    INFO(variant.name());
    CHECK(plan->executed_flops() == 0);
    const auto record = nlohmann::json::parse(to_json(measured(*plan, {.samples_ms = {0.5, 0.25}})));
    CHECK(record["tflops"].is_null());
    CHECK(record["tflops_executed"].is_null());
  }
}

TEST_CASE("B37: records are strict JSON and regular CSV with decimal points, whatever the locale and the numbers",
          "[cases]") {
  const DecimalComma comma;
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  for (const char* german : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, german)) break;

  for (const Variant& variant : variants()) {
    const auto plan = plan_of(variant, small_layer());
    Measurement m = measured(*plan, {.samples_ms = {1234.5, 0.125}});
    for (double odd : {0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      m.error_over_bound = m.floor_fraction = odd;
      INFO(to_json(m));
      const auto record = nlohmann::json::parse(to_json(m));  // throws on a bare NaN
      CHECK(record["samples_ms"] == nlohmann::json::array({1234.5, 0.125}));
      CHECK(record["median_ms"] == 617.3125);
      CHECK((std::isfinite(odd) ? record["error_over_bound"] == 0.5 : record["error_over_bound"].is_null()));

      const std::string row = to_csv(m);
      INFO(row);
      CHECK(fields(row).size() == fields(csv_header()).size());
      CHECK(std::ranges::count(fields(row), "617.3125") == 1);
      CHECK(std::ranges::count(fields(row), std::isfinite(odd) ? "0.5" : "n/a") >= 2);
    }
  }
  CHECK(OptionSet::parse("m=4", find_algorithm("winograd").options).integer("m") == 4);
  std::setlocale(LC_ALL, c_locale.c_str());
}

TEST_CASE("B02: a row that may spread a NaN says so in its records", "[cases]") {
  for (const Variant& variant : variants()) {
    const auto plan = plan_of(variant, small_layer());
    const std::string record = to_json(measured(*plan, {.samples_ms = {1}}));
    INFO(record);
    CHECK((record.find("NaN and Inf may spread over") != std::string::npos) ==
          (plan->error_model().spread != Spread::exact));
  }
}

TEST_CASE("B55: a record says which clock, how many warm-ups and samples, and what is inside the time", "[cases]") {
  const Variant direct{&find_algorithm("direct"), {}};
  const auto plan = plan_of(direct, small_layer());
  Session session(plan, 1);
  const Timing timing = measure([&] { session.run(); }, {.warmup = 3, .repeats = 7});
  const auto record = nlohmann::json::parse(to_json(measured(*plan, timing)));
  CHECK(record["clocks"]["timer"] == "steady_clock");
  CHECK(record["samples_ms"].size() == 7);
  CHECK(record["engine_notes"].dump().find("warm-up: 3 calls") != std::string::npos);
  CHECK(record["timed"] == "call");  // transforms of input, filter and output inside, allocation not
  CHECK(record["l2"] == "warm");
  CHECK(record["gpu"].is_null());
}

TEST_CASE("B55: the time of a layer grows with its work", "[cases]") {
  const auto least = [](std::int64_t n) {
    const auto plan = plan_of({&find_algorithm("direct"), {}},
                              padded({.n = n, .ci = 16, .hi = 28, .wi = 28, .co = 16, .hf = 3, .wf = 3}, 1));
    Session session(plan, 1);
    return measure([&] { session.run(); }, {.warmup = 1, .repeats = 20}).min_ms();
  };
  CHECK(least(8) > 4 * least(1));
}
