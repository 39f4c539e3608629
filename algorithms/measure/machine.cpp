#include "algorithms/measure/machine.h"

#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <hwy/highway.h>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/peers/blas.h"
#include "algorithms/simd/tile.h"
#include "revision.h"

namespace convlens {

namespace {

// What stands after `key` and `separator` in the first line of a file that begins with `key`; "" without such a line.
std::string value_in(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", std::min(line.find(separator), line.size() - 1) + 1);
    if (begin == std::string::npos) return "";
    return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return "";
}

std::string host() {
  utsname system{};
  uname(&system);  // its nodename, the machine's own name, is left out
  const std::string kernel = std::string(system.sysname) + " " + system.release;
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return distribution.empty() ? kernel : distribution + ", " + kernel;
}

std::string cpu(int cores) {
  utsname system{};
  uname(&system);
  const std::string model = value_in("/proc/cpuinfo", "model name", ':');
  return (model.empty() ? system.machine : model) + " (" + std::to_string(cores) + (cores == 1 ? " core)" : " cores)");
}

// The largest of the first core's caches, as Linux tells: "32768K".
std::int64_t last_level_cache() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::int64_t kibibytes = 0;
    if (file >> kibibytes) largest = std::max(largest, kibibytes * 1024);
  }
  return largest;
}

// What the machine has, or what a container may use of it.
std::int64_t memory() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const std::int64_t physical = pages > 0 && page > 0 ? pages * page : 0;
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // a number of bytes, or the word "max"
  std::int64_t allowed = 0;
  return limit >> allowed && physical > 0 ? std::min(physical, allowed) : physical;
}

// The instruction set that the compiler was told it may use.
std::string compiled_for() {
#if defined(__AVX512F__)
  return "x86-64 with AVX-512";
#elif defined(__AVX2__)
  return "x86-64 with AVX2";
#elif defined(__AVX__)
  return "x86-64 with AVX";
#elif defined(__x86_64__)
  return "x86-64 with SSE2";
#elif defined(__aarch64__)
  return "AArch64 with NEON";
#else
  return "this processor";
#endif
}

Library compiler() {
#if defined(__clang__)
  return {"Clang", __clang_version__ " for " + compiled_for()};
#else
  return {"GCC", __VERSION__ " for " + compiled_for()};
#endif
}

}  // namespace

const Machine& machine() {
  static const Machine machine = [] {
    const int cores = omp_get_num_procs();
    return Machine{host(), cpu(cores), cores, last_level_cache(), memory()};
  }();
  return machine;
}

std::string version() { return CONVLENS_VERSION; }
std::string revision() { return CONVLENS_REVISION; }

std::vector<Library> libraries() {
  std::vector<Library> libraries{compiler(), {"OpenMP", std::to_string(_OPENMP)}};  // the month of its specification
  if (const std::string blas = blas::name(); !blas.empty()) {
    const std::size_t blank = std::min(blas.find(' '), blas.size());
    libraries.push_back({blas.substr(0, blank), blas.substr(std::min(blank + 1, blas.size()))});
  }
#ifdef CONVLENS_WITH_KISSFFT  // its headers carry no version
  libraries.push_back({"KissFFT", "unknown"});
#endif
  libraries.push_back({"Highway", std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
                                      std::to_string(HWY_PATCH) + " " + simd::instruction_set()});
  libraries.push_back({"nlohmann-json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                                            std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                                            std::to_string(NLOHMANN_JSON_VERSION_PATCH)});
  return libraries;
}

}  // namespace convlens
