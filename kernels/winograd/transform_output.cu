// Winograd, step 3 of 3: Y = Aᵀ M A for every tile of every output channel; the bias is added in the accumulator.
//
//   M: a matrix (tiles, C_o) for each point       Y of one tile         y, one channel
//   +---+                                         +-----+               +------------------+
//   | +---+        M's points, one tile           | . . |               |  +--+--+--+--    |
//   +-| +---+     ---------------------->         | . . |    ------>    |  |  |  |  |      |
//     +-|   |            Aᵀ M A                   +-----+               |  +--+--+--+--    |
//       +---+                                     m_h × m_w             +------------------+
//
// A thread transforms one tile of one channel in registers; what overhangs y is dropped. With `staging` the block lays
// its outputs in shared memory first and then writes them in the order of y's rows, in which neighbouring threads write
// neighbouring elements.
//
// Source: Lavin & Gray 2016, arXiv 1509.09308.
#include "winograd/winograd.cuh"

extern "C" __global__ void __launch_bounds__(threads)
    transform_output(const float* __restrict__ m, const Element* __restrict__ bias, Element* __restrict__ y,
                     long long first_image, long long chunk, const Sizes s) {
  const int images = static_cast<int>(chunk), tiles = images * s.tiles_h * s.tiles_w;
  const Item item = item_of_thread(tiles, s.co);
  const bool exists = item.tile < tiles;
  // The first output of column q of a tile.
  const auto column_of = [&](const Tile& tile, int q) {
    return y + (first_image + tile.n) * s.y_n + item.channel * static_cast<long long>(s.y_c) +
           tile.t * m_h * static_cast<long long>(s.y_h) + (tile.s * m_w + q) * static_cast<long long>(s.y_w);
  };

  float cells[points], outputs[m_h * m_w];
  if (exists) {
    const float* const cell = m + cell_of(item, s.pitch, s.co);
    const long long point_step = static_cast<long long>(s.pitch) * s.co;
#pragma unroll
    for (int point = 0; point < points; ++point) cells[point] = cell[point * point_step];
    sandwich<m_h, n_h, m_w, n_w>(at_h, at_h_over, at_w, at_w_over, cells, outputs);
    const float first = has_bias ? to_float(bias[item.channel]) : 0.0f;
#pragma unroll
    for (int e = 0; e < m_h * m_w; ++e) outputs[e] += first;
  }

  if constexpr (staging) {
    // Output e of tile b at [e][b]. Threads read m_w columns of neighbouring tiles; the pitch spreads them over banks.
    constexpr int pitch = threads + (31 + m_w) / m_w;
    __shared__ float staged[m_h * m_w * pitch];
    __shared__ Tile tile_of[threads];
    if (exists) {
      tile_of[threadIdx.x] = tile_at(item.tile, images, s);
#pragma unroll
      for (int e = 0; e < m_h * m_w; ++e) staged[e * pitch + threadIdx.x] = outputs[e];
    }
    __syncthreads();
    const int block_tiles = min(threads, tiles - (item.tile - static_cast<int>(threadIdx.x)));
#pragma unroll
    for (int k = 0; k < m_w; ++k) {
      const int index = k * threads + threadIdx.x, b = index / m_w, q = index % m_w;
      if (b >= block_tiles || tile_of[b].s * m_w + q >= s.wo) continue;
      Element* const column = column_of(tile_of[b], q);
#pragma unroll
      for (int p = 0; p < m_h; ++p)
        if (tile_of[b].t * m_h + p < s.ho)
          column[p * static_cast<long long>(s.y_h)] = rounded(staged[(p * m_w + q) * pitch + b]);
    }
  } else if (exists) {
    const Tile tile = tile_at(item.tile, images, s);
#pragma unroll
    for (int q = 0; q < m_w; ++q)
#pragma unroll
      for (int p = 0; p < m_h; ++p)
        if (tile.t * m_h + p < s.ho && tile.s * m_w + q < s.wo)
          column_of(tile, q)[p * static_cast<long long>(s.y_h)] = rounded(outputs[p * m_w + q]);
  }
}
