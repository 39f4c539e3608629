// The machine a measurement was made on, and its ceilings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convlens {

struct Machine {
  std::string host;      // the operating system and kernel, not the machine's name
  std::string cpu;       // "AMD EPYC … (2 cores)"
  int cores = 1;
  std::int64_t last_level_cache = 0;  // bytes, 0 when unknown
  std::int64_t memory = 0;            // bytes
};
const Machine& machine();

// The program's version, the source revision it was built from, and each library with its version.
std::string version();
std::string revision();
struct Library {
  std::string name, version;
};
std::vector<Library> libraries();

// What the CPU can do at most, measured once a process for `threads` threads: independent vector multiply-adds in
// registers, and a copy far larger than the cache.
struct Ceilings {
  double gflops = 0;   // f32, for the instruction set this program was compiled for
  double gbytes = 0;   // read + write, 10⁹ bytes a second
};
const Ceilings& cpu_ceilings(int threads);

// The least time that a layer can take: max(FLOPs ÷ gflops, (input + filter + output bytes) ÷ gbytes), in ms.
double floor_ms(std::int64_t flops, std::int64_t bytes, const Ceilings& ceilings);

}  // namespace convlens
