// The machine a measurement was made on, and its ceilings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convlens {

struct Machine {
  std::string host;                   // the operating system and kernel, not the machine's name
  std::string cpu;                    // "AMD EPYC … (2 cores)"
  int cores = 1;                      // that this process may use
  std::int64_t last_level_cache = 0;  // bytes, 0 when unknown
  std::int64_t memory = 0;            // bytes, 0 when unknown
};
const Machine& machine();

// The program's version, the source revision it was built from, and each library with its version. The compiler is one
// of them, with the instruction set that it was told to compile for.
std::string version();
std::string revision();
struct Library {
  std::string name, version;
};
std::vector<Library> libraries();

// What the CPU can do at most, measured once a process for as many of `threads` threads (0: all) as run at once:
// independent multiply-adds of f32 vectors in registers, and a copy far larger than the cache. The widest vectors that
// the CPU has are used, whatever the program was compiled for, because BLAS and the fast rows choose theirs at run time
// too. Each is the best of many short tries: on a busy machine a ceiling would otherwise be too low, and a row could
// break through it.
struct Ceilings {
  double gflops = 0;    // 10⁹ f32 operations a second
  double gbytes = 0;    // read + write, 10⁹ bytes a second
  std::string vectors;  // what gflops was measured with: "AVX-512"
};
const Ceilings& cpu_ceilings(int threads);

// The least time that a layer can take: max(FLOPs ÷ gflops, (input + filter + output bytes) ÷ gbytes), in ms. The bytes
// come from memory: a layer that stays in a warm cache can be faster.
double floor_ms(std::int64_t flops, std::int64_t bytes, const Ceilings& ceilings);

}  // namespace convlens
