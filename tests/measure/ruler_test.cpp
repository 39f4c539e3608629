#include "algorithms/measure/ruler.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"

using namespace convlens;

TEST_CASE("the ruler warms up, then takes as many samples as it is asked for") {
  int calls = 0;
  const Timing timing = measure([&] { ++calls; }, {.warmup = 3, .repeats = 7});
  CHECK(calls == 10);
  CHECK(timing.warmup == 3);
  CHECK(timing.samples_ms.size() == 7);
  CHECK(!timing.interrupted);
  for (double sample : timing.samples_ms) CHECK(sample >= 0);

  calls = 0;
  CHECK(measure([&] { ++calls; }, {.warmup = 0, .repeats = 1, .cold_cache = true}).samples_ms.size() == 1);
  CHECK(calls == 1);
}

TEST_CASE("the ruler goes on until the time is up, when that is longer than the repeats take") {
  const auto begin = std::chrono::steady_clock::now();
  const Timing timing = measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
                                {.warmup = 0, .repeats = 2, .seconds = 0.02});
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20));
  CHECK(timing.samples_ms.size() >= 2);
  for (double sample : timing.samples_ms) CHECK(sample >= 1);
}

TEST_CASE("where several threads take uneven times, the ruler advises how they may wait, unless that has been chosen") {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) unsetenv(name);
  const Timing even{.samples_ms = {10, 11, 12}}, uneven{.samples_ms = {10, 20, 30}};
  CHECK_THAT(advice_on_waiting(uneven, 2), Catch::Matchers::Contains("OMP_WAIT_POLICY=passive"));
  CHECK(advice_on_waiting(uneven, 1).empty());
  CHECK(advice_on_waiting(even, 2).empty());
  CHECK(advice_on_waiting({}, 2).empty());
  setenv("OMP_WAIT_POLICY", "passive", 1);
  CHECK(advice_on_waiting(uneven, 2).empty());
}

TEST_CASE("an interrupted measurement keeps what it has") {
  int calls = 0;
  const auto stop_after = [&](int n) { return [&calls, n] { return calls >= n; }; };

  const Timing some = measure([&] { ++calls; }, {.warmup = 2, .repeats = 100, .stop = stop_after(5)});
  CHECK(calls == 5);
  CHECK(some.interrupted);
  CHECK(some.samples_ms.size() == 3);

  calls = 0;
  const Timing none = measure([&] { ++calls; }, {.warmup = 2, .repeats = 100, .stop = stop_after(1)});
  CHECK(calls == 1);
  CHECK(none.interrupted);
  CHECK(none.warmup == 1);
  CHECK(none.samples_ms.empty());

  calls = 0;
  CHECK(!measure([&] { ++calls; }, {.warmup = 0, .repeats = 2, .stop = stop_after(2)}).interrupted);
}

TEST_CASE("what a call throws comes out of the ruler") {
  CHECK_THROWS_AS(measure([] { throw std::runtime_error("the call failed"); }, {}), std::runtime_error);
}

TEST_CASE("median, quartiles, least and spread are those of the samples, in whatever order they came") {
  const Timing four{.samples_ms = {4, 1, 3, 2}};
  CHECK(four.median_ms() == 2.5);
  CHECK(four.min_ms() == 1);
  CHECK(four.quantile_ms(0.25) == 1.75);
  CHECK(four.quantile_ms(0.75) == 3.25);
  CHECK(four.quantile_ms(1) == 4);
  CHECK(four.spread() == Approx(1.5 / 2.5));
  CHECK(four.samples_ms == std::vector<double>{4, 1, 3, 2});

  const Timing five{.samples_ms = {10, 30, 20, 50, 1000}};
  CHECK(five.median_ms() == 30);
  CHECK(five.spread() == Approx((50.0 - 20.0) / 30.0));

  const Timing one{.samples_ms = {7}};
  CHECK(one.median_ms() == 7);
  CHECK(one.min_ms() == 7);
  CHECK(one.spread() == 0);
}

TEST_CASE("no samples, or samples of no time, give NaN and never infinity") {
  const Timing none;
  CHECK(std::isnan(none.median_ms()));
  CHECK(std::isnan(none.min_ms()));
  CHECK(std::isnan(none.spread()));
  CHECK(std::isnan(Timing{.samples_ms = {0, 0, 1}}.spread()));
}

TEST_CASE("TFLOPS are FLOPs over time, and NaN for no work or no time") {
  CHECK(tflops(118380036096, 1.77) == Approx(66.8814));
  CHECK(tflops(1000, 1e-6) == Approx(1e-0 * 1e-0));
  CHECK(std::isnan(tflops(0, 1)));
  CHECK(std::isnan(tflops(7560, 0)));
  CHECK(std::isnan(tflops(0, 0)));
  CHECK(std::isnan(tflops(7560, std::nan(""))));
}
