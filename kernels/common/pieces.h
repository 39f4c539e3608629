// How many pieces a row may cut its batch into.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/error.h"
#include "kernels/program.h"

namespace convlens::gpu {

// Each piece has steps of its own in the program, of some kilobytes: so many take a quarter of a gigabyte.
inline constexpr std::int64_t kMostPieces = std::int64_t{1} << 14;

// Throws Unsupported where `batch` images, so many at a time, are more pieces than that.
inline void require_few_pieces(std::int64_t batch, std::int64_t images) {
  if (batch == 0 || ceil_div(batch, images) <= kMostPieces) return;
  throw Unsupported("n: " + std::to_string(batch) + ", must be ≤ " + std::to_string(kMostPieces) + " pieces of " +
                    std::to_string(images) + (images == 1 ? " image" : " images"));
}

}  // namespace convlens::gpu
