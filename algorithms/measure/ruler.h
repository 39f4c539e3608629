// The one ruler: how long a call takes.
//
// What is timed is everything that a caller pays per call: the transforms of input, filter and output included, the
// allocation of the workspace not. Warm-up, then samples until both `repeats` and `seconds` are met. The clock is
// std::chrono::steady_clock, one sample a call.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convlens {

struct RulerOptions {
  int warmup = 2;
  int repeats = 10;                 // at least this many samples
  double seconds = 0.0;             // and at least this long
  bool cold_cache = false;          // overwrite twice the last-level cache before each sample, outside its time
  std::function<bool()> stop = {};  // polled before each call; true ends the measurement with what there is
};

struct Timing {
  std::vector<double> samples_ms;  // in the order of the calls
  int warmup = 0;                  // calls before the first sample
  bool interrupted = false;

  // Of no samples, all of these are NaN.
  double quantile_ms(double q) const;  // 0 ≤ q ≤ 1, linear between the two samples it falls between
  double median_ms() const { return quantile_ms(0.5); }
  double min_ms() const { return quantile_ms(0); }
  double spread() const;  // (third quartile − first quartile) / median; NaN for a median of 0
};

Timing measure(const std::function<void()>& call, const RulerOptions& options);

// OpenMP's threads spin while they wait for each other, and so take the time of a busy machine from those they wait
// for. What to try, in a line, where the samples of several threads disagree by half and the user has not said how
// threads are to wait; otherwise "". The program cannot choose for them: OpenMP reads the choice before any of its code
// runs.
std::string advice_on_waiting(const Timing& timing, int threads);

// FLOPs / time, in units of 10¹² a second; NaN for no time or no work, so that nothing is divided by zero. With a
// plan's flops() it is *direct-equivalent*: what the direct sum would have to do to be as fast. An algorithm that needs
// fewer (Winograd, FFT) can so exceed what the machine is able to do; with executed_flops() it cannot.
double tflops(std::int64_t flops, double milliseconds);

}  // namespace convlens
