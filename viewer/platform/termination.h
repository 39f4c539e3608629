// SIGINT, SIGTERM and SIGHUP as what they ask for: that the program ends, and keeps what a closed window keeps.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace convlens::viewer {

// While one lives (one at a time), those signals no longer end the program: the first sets `wanted` and calls `wake`
// from a thread of its own, the second of a kind ends the program after all. Whoever handled a signal before is told;
// signals that were ignored still are.
class Termination {
 public:
  explicit Termination(std::function<void()> wake);
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  bool wanted() const { return wanted_; }

 private:
  std::atomic<bool> wanted_{false};
  std::thread waiting_;
};

}  // namespace convlens::viewer
