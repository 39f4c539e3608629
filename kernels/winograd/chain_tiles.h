// Which part of its result each block of Winograd's kernels computes, by the formulas of kernels/winograd/winograd.cuh.
#pragma once

#include <vector>

#include "kernels/common/products.h"
#include "kernels/winograd/chain.h"

namespace convlens::gpu {

// Cells of V, U, M and y. `images` images from `first` on are in the chunk; `threads` is a block's, `block` its index.
std::vector<Box> input_boxes(const Chain& chain, std::int64_t first, std::int64_t images, std::int64_t threads,
                             std::int64_t block);
std::vector<Box> filter_boxes(const Chain& chain, std::int64_t threads, std::int64_t block);
std::vector<Box> product_boxes(const Chain& chain, const ProductTile& tile, std::int64_t first, std::int64_t images);
std::vector<Box> output_boxes(const Chain& chain, std::int64_t first, std::int64_t images, std::int64_t threads,
                              std::int64_t block);

// Of y, where one kernel computes `tiles` tiles of `outputs` output channels a block.
std::vector<Box> fused_boxes(const Chain& chain, std::int64_t tiles, std::int64_t outputs, std::int64_t block);

}  // namespace convlens::gpu
