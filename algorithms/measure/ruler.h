// The one ruler: how long a call takes.
//
// What is timed is everything that a caller pays per call: the transforms of input, filter and output included, the
// allocation of the workspace not. Warm-up, then samples until both `repeats` and `seconds` are met.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convlens {

struct RulerOptions {
  int warmup = 2;
  int repeats = 10;            // at least this many samples
  double seconds = 0.0;        // and at least this long
  bool cold_cache = false;     // overwrite more than the last-level cache before each sample
  std::function<bool()> stop;  // polled between samples; true ends the measurement with what there is
};

struct Timing {
  std::vector<double> samples_ms;
  bool interrupted = false;

  double median_ms() const;  // of no samples: NaN
  double min_ms() const;
  double spread() const;  // (third quartile − first quartile) / median
};

Timing measure(const std::function<void()>& call, const RulerOptions& options);

// 2·K·outputs / time, in units of 10¹² a second; NaN for no time or no work, so that nothing is divided by zero.
double tflops(std::int64_t flops, double milliseconds);

}  // namespace convlens
