#include "cli/devices.h"

#include <fstream>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/machine.h"
#include "cli/numbers.h"

namespace convlens::cli {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The caches of the first core as Linux tells them: "L1 Data 48K, L1 Instruction 32K, L2 Unified 2048K"; or "unknown".
std::string caches() {
  std::string text;
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string size = first_line(folder + "size");
    if (size.empty()) break;
    text += (text.empty() ? "" : ", ") + ("L" + first_line(folder + "level")) + " " + first_line(folder + "type") +
            " " + size;
  }
  return text.empty() ? "unknown" : text;
}

// The vector instructions that the CPU has.
std::string vector_instructions() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return "AVX-512F";
  if (__builtin_cpu_supports("avx2")) return __builtin_cpu_supports("fma") ? "AVX2, FMA" : "AVX2";
  if (__builtin_cpu_supports("avx")) return "AVX";
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "unknown";
#endif
}

// Sizes that the system doesn't tell are 0.
std::string size_text(std::int64_t bytes) { return bytes > 0 ? bytes_text(bytes) : "unknown"; }
nlohmann::ordered_json size_json(std::int64_t bytes) {
  return bytes > 0 ? nlohmann::ordered_json(bytes) : nlohmann::ordered_json(nullptr);
}

Device cpu(bool measure, int threads) {
  const Machine& m = machine();
  Device device{
      "cpu",
      {{"model", "model", m.cpu},
       {"cores", "cores", std::to_string(m.cores), m.cores},
       {"caches", "caches", caches()},
       {"last_level_cache_bytes", "last-level cache", size_text(m.last_level_cache), size_json(m.last_level_cache)},
       {"memory_bytes", "memory", size_text(m.memory), size_json(m.memory)},
       {"vector_instructions", "vector instructions", vector_instructions()},
       {"system", "system", m.host}}};
  if (measure) {
    const Ceilings& ceilings = cpu_ceilings(threads);
    device.facts.push_back({"gflops_f32", "most GFLOP/s, f32",
                            fixed(ceilings.gflops, 1) + " (" + ceilings.vectors + ")", ceilings.gflops});
    device.facts.push_back(
        {"gbytes_per_second", "most GB/s, read and write", fixed(ceilings.gbytes, 1), ceilings.gbytes});
  }
  return device;
}

}  // namespace

std::string why_no_gpu() {
  for (const Algorithm* row : algorithms())
    if (row->unit != Unit::cpu) return "";
  return "this build has no GPU rows";
}

std::vector<Device> devices(bool measure, int threads) {
  std::vector<Device> devices{cpu(measure, threads)};
  if (const std::string why = why_no_gpu(); !why.empty()) devices.push_back({"gpu", {{"missing", "not there", why}}});
  return devices;
}

}  // namespace convlens::cli
