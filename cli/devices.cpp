#include "cli/devices.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/measure/device.h"
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

DeviceListing cpu(bool measure, int threads) {
  const Machine& m = machine();
  DeviceListing device{
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

DeviceListing gpu(const std::string& id, Device& device, bool measure) {
  const DeviceFacts& f = device.facts();
  const std::int64_t free = device.free_memory();
  DeviceListing listing{
      id,
      {{"model", "model", f.name},
       {"architecture", "architecture", f.architecture},
       {"multiprocessors", "multiprocessors", std::to_string(f.multiprocessors), f.multiprocessors},
       {"clock_mhz", "highest clock, MHz", std::to_string(f.clock_mhz), f.clock_mhz},
       {"memory_clock_mhz", "highest memory clock, MHz", std::to_string(f.memory_clock_mhz), f.memory_clock_mhz},
       {"memory_bytes", "memory", size_text(f.memory), size_json(f.memory)},
       {"free_memory_bytes", "free memory", bytes_text(free), free},
       {"l2_bytes", "L2 cache", size_text(f.l2), size_json(f.l2)},
       {"shared_bytes_per_block", "shared memory of a block", size_text(f.shared_per_block),
        size_json(f.shared_per_block)},
       {"driver", "driver", f.driver},
       {"cuda", "CUDA", f.toolkit}}};
  if (measure) {
    const DeviceCeilings c = device.ceilings();
    listing.facts.push_back(
        {"copy_tbytes_per_second", "most TB/s, read and write", fixed(c.copy_tbytes, 2), c.copy_tbytes});
    listing.facts.push_back({"tflops_f32", "most TFLOP/s, f32 without TF32", fixed(c.f32_tflops, 1), c.f32_tflops});
    listing.facts.push_back({"tflops_f16", "most TFLOP/s, f16 on tensor cores", fixed(c.f16_tflops, 1), c.f16_tflops});
  }
  return listing;
}

}  // namespace

std::vector<DeviceListing> device_listings(bool measure, int threads) {
  std::vector<DeviceListing> listings{cpu(measure, threads)};
  const std::vector<Device*> gpus = devices();
  for (std::size_t k = 0; k < gpus.size(); ++k) listings.push_back(gpu("gpu" + std::to_string(k), *gpus[k], measure));
  if (gpus.empty()) listings.push_back({"gpu", {{"missing", "not there", why_no_device()}}});
  return listings;
}

}  // namespace convlens::cli
