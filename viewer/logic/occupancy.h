// How many blocks of a kernel an SM can hold at a time, and what keeps it from more.
//
//   threads    ⌊threads of an SM ÷ those of a block, in whole warps⌋
//   registers  ⌊4·⌊registers of a quarter ÷ those of a warp, in units of 256⌋ ÷ warps of a block⌋
//   shared     ⌊shared memory of an SM ÷ (that of a block + 1 KiB of the system's)⌋
//   blocks     the most that an SM takes at all
//
// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Multiprocessor Level".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace convlens::viewer {

struct Occupancy {
  std::int64_t blocks = 0;      // of an SM
  std::int64_t warps = 0;       // of these blocks
  std::int64_t most_warps = 0;  // that an SM can hold
  std::string limit;            // "registers": what allows no more
};

// Nothing for an architecture ("sm_90a") whose numbers are not in the table.
std::optional<Occupancy> occupancy(const std::string& architecture, std::int64_t threads, std::int64_t registers,
                                   std::int64_t shared_bytes);

}  // namespace convlens::viewer
