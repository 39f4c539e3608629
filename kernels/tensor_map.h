// A tensor in global memory as the copy engine of Hopper sees it (TMA, the tensor memory accelerator): what a kernel
// is handed instead of an address, so that one instruction copies a whole tile.
//
// Source: CUDA driver API, tensor map object management; PTX ISA, 5.5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/tensor/dtype.h"

namespace convlens::gpu {

struct TensorMap {
  DType dtype = DType::f16;
  std::vector<std::int64_t> extents;  // of the tensor in elements, the contiguous axis first; 2 to 5 axes
  std::vector<std::int64_t> strides;  // in bytes, of all axes but the first; multiples of 16
  std::vector<int> steps = {};        // between the elements that are copied, an axis; empty: all ones
  int swizzle = 128;                  // bytes of a row in shared memory whose 16-byte pieces are permuted; 0: none

  // A tile is a box of the tensor: its extents, in elements. Null in im2col mode.
  std::vector<int> box = {};

  // In im2col mode it is `pixels` windows, counted along rows and images, of `channels` channels each. A window's
  // origin moves from `lower` to the extent plus `upper`, in (w, h) of a tensor of axes (c, w, h, n).
  struct Im2col {
    std::vector<int> lower, upper;
    int channels = 0, pixels = 0;
  };
  std::optional<Im2col> im2col = std::nullopt;
};

// "f16 64 × 56 × 56 × 256, box 64 × 58 × 4 × 1".
std::string text(const TensorMap& map);

}  // namespace convlens::gpu
