// How im2col's lowering is shared out among blocks: the part of the matrix that one makes (kernels/im2col/lower.cu).
#pragma once

#include <vector>

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/request.h"

namespace convlens::gpu {

// How many images are lowered at a time, by the options batching and chunk_images.
std::int64_t images_of_pass(const Request& request);

// Columns of the matrix for a group: the window's, rounded up to vectors of 16 bytes.
std::int64_t row_columns(const Request& request);

// Whether channels lie together in x, and are the fastest index of the columns.
bool channels_together(const Request& request);

// What a block may take of x through shared memory.
inline constexpr std::int64_t kMostPatchBytes = 48 << 10;

// A block's part of the matrix, the part of x that it needs, and its threads.
struct LoweringTile {
  bool whole_vectors = false, staging = false, lines = false;  // as the kernel explains
  std::int64_t vector = 4;                                     // elements in 16 bytes
  std::int64_t all_slices = 1, slice = 1;                      // filter rows or channels, and the columns of one
  std::int64_t slices = 1, p = 1, q = 1, n = 1;  // of a block, and its pixels: neighbours in rows, or images
  std::int64_t row_pitch = 0, slice_pitch = 0;   // elements of the patch from tap row to tap row, slice to slice
  std::int64_t patch_bytes = 0;
  std::int64_t lanes = 8, threads = 256;

  LoweringTile(const Request& request, std::int64_t images);

  // The cells of the matrix that `block` writes when `images` images from `first` on are lowered.
  std::vector<Box> boxes(const ConvProblem& problem, std::int64_t first, std::int64_t images, std::int64_t block) const;

 private:
  void choose_threads(std::int64_t vectors);
};

}  // namespace convlens::gpu
