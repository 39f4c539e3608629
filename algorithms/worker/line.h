// A live line: the samples of one run under one set of options, and their rolling median.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/worker/protocol.h"

namespace convlens::worker {

struct Line {
  std::string run;            // its name
  std::int64_t flops = 0;     // direct-equivalent
  std::int64_t executed = 0;  // FLOPs that are really computed
  std::vector<double> ms;     // samples, in the order in which they were made

  // The median of the last `window` samples; NaN of none. A window of 0 is all of them.
  double median_ms(std::size_t window = kWindow) const;

  // (third quartile − first quartile) / median of the last kWindow samples; NaN of none.
  double spread() const;

  // FLOPs / rolling median, in TFLOPS; direct-equivalent.
  double tflops() const;

  static constexpr std::size_t kWindow = 64;
};

// Three digits, "1.23 TFLOPS", below 1 of a unit in the next, "12.3 GFLOPS" … "412 FLOPS"; "n/a" for NaN. '.' always.
std::string rate_text(double tflops);

}  // namespace convlens::worker
