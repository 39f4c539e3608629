// How much shared memory a block may ask for, by compute capability: 90 for sm_90 and sm_90a.
// Source: CUDA C++ Programming Guide, technical specifications per compute capability.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace convlens::gpu {

inline constexpr std::array<std::pair<int, std::int64_t>, 12> kSharedKibOfBlock{{{75, 64},
                                                                                 {80, 163},
                                                                                 {86, 99},
                                                                                 {87, 163},
                                                                                 {88, 99},
                                                                                 {89, 99},
                                                                                 {90, 227},
                                                                                 {100, 227},
                                                                                 {103, 227},
                                                                                 {110, 227},
                                                                                 {120, 99},
                                                                                 {121, 99}}};

// In bytes, static and dynamic together; 0 for a GPU that is not in the table.
constexpr std::int64_t shared_bytes_of_block(int capability) {
  for (const auto& [listed, kib] : kSharedKibOfBlock)
    if (listed == capability) return kib << 10;
  return 0;
}

inline constexpr std::int64_t kHopperSharedBytes = shared_bytes_of_block(90);
inline constexpr std::int64_t kLeastSharedBytes = shared_bytes_of_block(120);  // that any GPU since sm_80 has

}  // namespace convlens::gpu
