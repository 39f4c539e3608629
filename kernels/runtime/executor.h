// Executes programs on one GPU.
//
// A program is prepared once: its kernels compiled and loaded, its transforms planned. From then on an execution looks
// it up by its number and queues its steps, which costs the host a few microseconds.
#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/runtime/step.h"

namespace convlens::gpu {

class Executor {
 public:
  explicit Executor(int device) : device_(device) {}

  // Compiles and loads what the program needs, unless that has been done.
  void prepare(const Program& program) { prepared(program); }

  // Queues its steps; any thread, any number at once.
  void execute(const Program& program, const Call& call);

  // Of its traced kernel's last execution, which is waited for.
  std::vector<BlockSpan> spans(const Program& program);

 private:
  struct Prepared {
    std::vector<std::unique_ptr<PreparedStep>> steps;
    std::atomic<std::uint64_t> last_use{0};
  };
  std::shared_ptr<Prepared> prepared(const Program& program);
  std::shared_ptr<Prepared> prepare_anew(const Program& program) const;
  void forget_old();

  int device_;
  std::atomic<std::uint64_t> uses_{0};
  std::shared_mutex mutex_;  // guards the map
  std::unordered_map<std::uint64_t, std::shared_ptr<Prepared>> programs_;
};

}  // namespace convlens::gpu
