#include "algorithms/measure/ruler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "algorithms/measure/machine.h"

namespace convlens {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// Twice the last-level cache, or 64 MiB where the system does not say how large that is. Every core writes a part.
class CacheFlush {
 public:
  explicit CacheFlush(bool wanted) {
    const std::int64_t cache = machine().last_level_cache;
    if (wanted) memory_.resize(static_cast<std::size_t>(cache > 0 ? 2 * cache : std::int64_t{64} << 20));
  }
  void operator()() {
    ++value_;
#pragma omp parallel for
    for (std::size_t k = 0; k < memory_.size(); ++k) memory_[k] = value_;
  }

 private:
  std::vector<unsigned char> memory_;
  unsigned char value_ = 0;
};

}  // namespace

Timing measure(const std::function<void()>& call, const RulerOptions& options) {
  Timing timing;
  const auto stopped = [&] { return timing.interrupted = options.stop && options.stop(); };
  for (; timing.warmup < options.warmup; ++timing.warmup) {
    if (stopped()) return timing;
    call();
  }

  CacheFlush flush_cache(options.cold_cache);
  const Clock::time_point begin = Clock::now();
  const auto enough = [&] {
    return timing.samples_ms.size() >= static_cast<std::size_t>(std::max(0, options.repeats)) &&
           milliseconds(Clock::now() - begin) >= 1e3 * options.seconds;
  };
  while (!enough() && !stopped()) {
    if (options.cold_cache) flush_cache();
    const Clock::time_point start = Clock::now();
    call();
    timing.samples_ms.push_back(milliseconds(Clock::now() - start));
  }
  return timing;
}

double Timing::quantile_ms(double q) const {
  if (samples_ms.empty()) return kNaN;
  std::vector<double> sorted = samples_ms;
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double Timing::spread() const {
  const double median = median_ms();
  return median > 0 ? (quantile_ms(0.75) - quantile_ms(0.25)) / median : kNaN;
}

std::string advice_on_waiting(const Timing& timing, int threads) {
  if (threads < 2 || timing.samples_ms.empty() || timing.median_ms() < 1.5 * timing.min_ms()) return "";
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return "";
  return "samples disagree by half: other programs run. With OMP_WAIT_POLICY=passive in the environment threads do not "
         "spin while they wait, which a busy machine needs and an idle one is a little slower with";
}

double tflops(std::int64_t flops, double milliseconds) {
  return flops > 0 && milliseconds > 0 ? static_cast<double>(flops) / milliseconds * 1e-9 : kNaN;
}

}  // namespace convlens
