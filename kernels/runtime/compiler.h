// Kernels compiled, each text once: kept in memory while the program runs, and on disk from one run to the next.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/cache.h"
#include "kernels/program.h"

namespace convlens::gpu {

class Compiler {
 public:
  // Any thread may ask; two that ask for the same kernel may both compile it, and both get the same.
  // Throws Unsupported once `stop` is true.
  Compiled compile(const Kernel& kernel, const std::string& architecture, const std::function<bool()>& stop = {});

  // False: compiles anew what this process has not compiled yet, and reads and writes nothing on disk.
  void use_disk(bool wanted) { use_disk_ = wanted; }

  // "3 MiB of 256 MiB in /home/ada/.cache/convlens/kernels", or why nothing is kept there.
  std::string disk_state() const;

 private:
  std::shared_ptr<const Compiled> text(const Kernel& kernel, const std::string& architecture,
                                       const std::function<bool()>& stop);
  std::shared_ptr<const Compiled> remember(const std::string& key, Compiled compiled);

  std::atomic<bool> use_disk_ = true;
  mutable std::mutex mutex_;  // guards the rest
  std::map<std::string, std::shared_ptr<const Compiled>> memory_;
  std::size_t memory_bytes_ = 0;
  std::string not_kept_;  // why the last text could not be written to disk
};

// The one that all devices use.
Compiler& compiler();

}  // namespace convlens::gpu
