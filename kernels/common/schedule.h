// Which tile of the result a thread block computes. Included by kernels and by the program alike, so that the picture
// of a schedule is drawn by the function that the kernel runs.
//
// Tiles lie in a grid of `across` columns and `down` rows; blocks are launched in the order of their index. Row by row,
// blocks that run at the same time share rows of one operand and no columns of the other; with zigzag every second row
// runs backwards, so that the blocks at a turn find the column's operand still in the L2 cache.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define CONVLENS_HOST_DEVICE __host__ __device__
#else
#define CONVLENS_HOST_DEVICE
#endif

struct TileIndex {
  int column, row;
};

CONVLENS_HOST_DEVICE constexpr TileIndex tile_of_block(long long block, int across, bool zigzag) {
  const int row = static_cast<int>(block / across), column = static_cast<int>(block % across);
  return {zigzag && row % 2 == 1 ? across - 1 - column : column, row};
}
