// What `convlens live` knows of one set of options, and the line that it makes of it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/worker/line.h"
#include "algorithms/worker/protocol.h"

namespace convlens::cli {

class LiveSet {
 public:
  explicit LiveSet(std::string run = "") { line_.run = std::move(run); }

  void take(const worker::Answer& answer);  // about this set

  // Refused, or measured for so many seconds. They count from its first sample: what comes before is the worker's
  // start, and the packing or compiling of this set.
  bool stands(double seconds) const;

  bool measured() const { return !line_.ms.empty(); }
  const std::string& run() const { return line_.run; }
  const std::string& refused() const { return refused_; }  // why, or ""
  Exit refused_exit() const { return refused_exit_; }
  const std::string& record() const { return record_; }  // when it is done; "" before, and without any sample

  // "direct.cpu  12.3 GFLOPS  (median of the last 64 of 210 samples: 2.345 ms; the first after 0.21 s)"
  std::string text() const;

  // The same for a row of so many columns. The name is shortened first, then what is said of the rate is left out, the
  // last of it first: "direct.cpu:si…  12.3 GFLOPS  2.345 ms  210 samples  the first after 0.21 s".
  std::string text_in(int columns) const;

 private:
  std::vector<std::string> facts() const;  // what its line says behind the name, the most important first

  using Clock = std::chrono::steady_clock;

  worker::Line line_;
  std::string refused_, record_;
  Exit refused_exit_ = Exit::unsupported;
  Clock::time_point asked_ = Clock::now(), began_ = asked_;  // began: its first sample
};

}  // namespace convlens::cli
