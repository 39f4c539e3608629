// The compiler as a child process, the program convlens_compiler that stands beside this module: no text, however odd,
// can take this process along, take its memory, or keep it for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convlens::gpu {

// What compiling one text may take. Kernels of this project take seconds, and less than a GiB.
inline constexpr int kMostSeconds = 60;  // of the processor
inline constexpr int kMostWaited = 600;  // seconds on the clock
inline constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;

struct CompiledApart {
  int status = 0;  // an nvrtcResult
  std::string log, cubin, ptx;
};

// Throws BadInput where the compiler dies of the text or takes more than it may, and Unsupported where the program
// cannot be started, or `stop`, asked again and again, is true.
CompiledApart compile_apart(const std::string& name, const std::string& text, const std::vector<std::string>& options,
                            const std::function<bool()>& stop);

}  // namespace convlens::gpu
