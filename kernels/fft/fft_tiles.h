// Which part of its result each block of the FFT's kernels computes, by the formulas of kernels/fft/fft_block.cuh.
#pragma once

#include <vector>

#include "algorithms/interface/index_map.h"
#include "kernels/fft/fft_spectra.h"

namespace convlens::gpu {

// What a block of the transforms takes.
struct TransformBlock {
  std::int64_t tiles = 1, channels = 1;
};

// Cells of X̂, Ŵ and y. `tiles` tiles of images from `first` on are transformed; `block` is its index.
std::vector<Box> input_boxes(const ConvProblem& problem, const Spectra& spectra, const TransformBlock& shape,
                             std::int64_t first, std::int64_t tiles, std::int64_t block);
std::vector<Box> filter_boxes(const ConvProblem& problem, const Spectra& spectra, const TransformBlock& shape,
                              std::int64_t entries, std::int64_t block);
std::vector<Box> output_boxes(const ConvProblem& problem, const Spectra& spectra, const TransformBlock& shape,
                              std::int64_t first, std::int64_t tiles, std::int64_t block);

// Cells of Ŷ: one bin of `tiles` tiles from `tile` on, of the images from `first` on, and of `channels` channels.
std::vector<Box> product_boxes(const Spectra& spectra, std::int64_t first, std::int64_t tile, std::int64_t tiles,
                               std::int64_t channel, std::int64_t channels, std::int64_t bin);

}  // namespace convlens::gpu
