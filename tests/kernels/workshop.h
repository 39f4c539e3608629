// Kernels written for one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/program.h"
#include "tests/support/command.h"

namespace convlens::testing {

// Kernels written for a test, and a cache of its own: the two folders that the environment names.
class Workshop {
 public:
  Workshop() {
    setenv("CONVLENS_KERNELS", texts_.path().c_str(), 1);
    setenv("CONVLENS_CACHE_DIR", cache_.path().c_str(), 1);
  }
  ~Workshop() {
    unsetenv("CONVLENS_KERNELS");
    unsetenv("CONVLENS_CACHE_DIR");
  }

  // A text that no other test has compiled: the runtime keeps those in memory.
  gpu::Kernel kernel(const std::string& text) {
    static int count = 0;
    const std::string file = "test_" + std::to_string(count++) + ".cu";
    std::ofstream(texts_.path() + "/" + file) << text;
    return {.file = file, .entry = "probe", .constants = {}, .sizes = {{"n", 5}}};
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    const std::filesystem::path kernels = std::filesystem::path(cache_.path()) / "kernels";
    if (std::filesystem::exists(kernels))
      for (const auto& entry : std::filesystem::directory_iterator(kernels)) found.push_back(entry.path());
    return found;
  }

 private:
  TemporaryFolder texts_, cache_;
};

}  // namespace convlens::testing
