// What rows for Hopper's tensor cores know of the machine (CUDA C++ Programming Guide, technical specifications; PTX
// ISA, asynchronous warpgroup level matrix instructions).
#pragma once

#include <cstdint>

#include "algorithms/interface/option.h"
#include "kernels/common/shared_memory.h"

namespace convlens::gpu {

inline constexpr int kHopperMultiprocessors = 132;  // of an H200; blocks of such rows stay, one on each

// An operand in shared memory is rows of 64 values of k, which the copy engine permutes by 16-byte pieces; tiles begin
// at multiples of 1024 bytes.
inline constexpr int kRowElements = 64;
inline constexpr std::int64_t kRowBytes = 128, kTileAlignment = 1024;

inline constexpr int kWarpgroup = 128, kMultiplyingThreads = 2 * kWarpgroup;

// Estimates for choosing tiles: multiply-adds a cycle, and bytes a cycle from the L2 cache (10 TB/s, measured) and to
// memory, of a multiprocessor.
inline constexpr double kProductsACycle = 2048, kBytesACycle = 47, kStoredBytesACycle = 24;

// Options that these rows share.
Option vector_io_option();
Option jitter_option();

}  // namespace convlens::gpu
