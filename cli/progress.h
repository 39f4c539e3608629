// How far long work has come, on stderr: nothing for work of under a second; then one line that is rewritten on a
// terminal, or a new line every few seconds where stderr is a file or a pipe. The line is gone at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace convlens::cli {

class Progress {
 public:
  Progress(std::string what, std::int64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the total are finished, and `now` names what comes next.
  void show(std::int64_t done, const std::string& now = "");

  // For work that ends by the clock: `fraction` of the time has passed.
  void show_time(double fraction, const std::string& now);

  // Takes the line away, for something else to be written; the next `show` brings it back.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool due() const;
  void write(const std::string& line);

  std::string what_;
  std::int64_t total_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

// "4 s", "2 min 10 s", "1 h 5 min".
std::string duration_text(double seconds);

}  // namespace convlens::cli
