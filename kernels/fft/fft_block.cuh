// How the threads of a block share out its tiles, in the transforms both ways.
//
// A line is a row or a column of a tile, P complex numbers in the registers of one thread; real lines go in pairs, so a
// tile has P/2 of them. Between rows and columns the numbers change threads through shared memory, [k][column][tile]:
// the real parts first, then the imaginary parts, which halves it.
#pragma once

#include "fft/fft_layer.cuh"
#include "fft/fft_points.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int tiles_per_block = 8, channels_per_block = 1;
#endif

constexpr int half_h = points_h / 2, half_w = points_w / 2;
constexpr int block_tiles = tiles_per_block * channels_per_block;
constexpr int threads = block_tiles * (half_w > half_h ? half_w : half_h);
constexpr int blocks_per_multiprocessor = threads >= 256 ? 2 : 512 / threads;  // registers for so many
// Pitches that keep a warp's threads on different banks, whether they differ in the column or in the tile.
constexpr int pitch_w = block_tiles + 32 / half_w, pitch_k = (points_w * pitch_w + 31) / 32 * 32 + block_tiles;

// The thread's row: neighbours hold the same row of neighbouring tiles, which are neighbours in the spectra.
struct RowOfThread {
  int tile = threadIdx.x % block_tiles, k = threadIdx.x / block_tiles;
  __device__ __forceinline__ bool there() const { return k < half_h; }
  __device__ __forceinline__ int place() const { return k * pitch_k + tile; }  // in shared memory
};

// The thread's column r, which goes with r + P_w/2: neighbours hold channels of one element where channels are side by
// side in memory, else neighbouring columns.
struct ColumnOfThread {
  int channel = threadIdx.x % channels_per_block, r = threadIdx.x / channels_per_block % half_w;
  int tile = threadIdx.x / channels_per_block / half_w;
  __device__ __forceinline__ bool there() const { return tile < tiles_per_block; }
  __device__ __forceinline__ int place() const { return r * pitch_w + channel * tiles_per_block + tile; }
};

// Where a block's channels and tiles begin. Blocks that run at the same time are neighbours in the image: a tile's
// phases, which share lines of the cache, then tiles of a channel; or, where channels are side by side, channels.
struct FirstOfBlock {
  int channel;
  long long tile;
};
__device__ __forceinline__ FirstOfBlock first_of_block(int channels, int phases, long long tiles) {
  if constexpr (channels_per_block == 1) {
    const long long down = (tiles + tiles_per_block - 1) / tiles_per_block, block = blockIdx.x / phases;
    return {static_cast<int>(block / down * phases + blockIdx.x % phases), block % down * tiles_per_block};
  } else {
    const int across = (channels + channels_per_block - 1) / channels_per_block;
    return {static_cast<int>(blockIdx.x % across * channels_per_block),
            blockIdx.x / across * static_cast<long long>(tiles_per_block)};
  }
}
