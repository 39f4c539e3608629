// Winograd, step 1 of 3: V = Bᵀ d B for every tile d of every channel.
//
//   x, one channel                     d of one tile            V: a matrix (tiles, C_i) for each point (ξ, ν)
//   +---------------------+            +---------+               +---+
//   | +-----+             |     n_h    | . . . . |    Bᵀ d B     | +---+
//   | |   +-----+         |   rows     | . . . . |   -------->   +-| +---+
//   | |   | |   |         |            | . . . . |                 +-|   |  n_h·n_w of them
//   | +---|-+   |         |            +---------+                   +---+
//   |     +-----+         |  neighbours share r − 1 columns, so that n²/m² numbers are written for every one read
//   +---------------------+
//
// A thread transforms one tile of one channel in registers. With `staging`, where neighbouring threads are tiles m_w
// apart in a row of x, the block first brings its tiles to shared memory in the order of x's rows, in which neighbouring
// threads read neighbouring elements. Elements outside the image are zeros.
#include "winograd/winograd.cuh"

// The element (i, j) of a tile.
__device__ inline float element(const float* image, Tile tile, int i, int j, const Sizes& s) {
  const int h = tile.t * m_h - s.pad_top + i, w = tile.s * m_w - s.pad_left + j;
  const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi;
  return inside ? image[h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w)] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(threads)
transform_input(const float* __restrict__ x, float* __restrict__ v, long long first_image, long long chunk,
                const Sizes s) {
  const int images = static_cast<int>(chunk), tiles = images * s.tiles_h * s.tiles_w;
  const Item item = item_of_thread(tiles, s.ci);
  const bool exists = item.tile < tiles;
  const auto image_of = [&](const Tile& tile) {
    return x + (first_image + tile.n) * s.x_n + item.channel * static_cast<long long>(s.x_c);
  };

  float d[points], cells[points];
  if constexpr (staging) {
    // Element e of tile b at [e][b]: threads that read a tile each then read neighbouring words.
    constexpr int pitch = threads + 4;
    __shared__ float staged[points * pitch];
    __shared__ Tile tile_of[threads];
    if (exists) tile_of[threadIdx.x] = tile_at(item.tile, images, s);
    __syncthreads();
    const int block_tiles = min(threads, tiles - (item.tile - static_cast<int>(threadIdx.x)));
#pragma unroll 8
    for (int k = 0; k < points; ++k) {
      const int index = k * threads + threadIdx.x;  // (i, tile, j)
      const int i = index / (threads * n_w), b = index / n_w % threads, j = index % n_w;
      if (b < block_tiles) staged[(i * n_w + j) * pitch + b] = element(image_of(tile_of[b]), tile_of[b], i, j, s);
    }
    __syncthreads();
    if (!exists) return;
#pragma unroll
    for (int e = 0; e < points; ++e) d[e] = staged[e * pitch + threadIdx.x];
  } else {
    if (!exists) return;
    const Tile tile = tile_at(item.tile, images, s);
#pragma unroll
    for (int e = 0; e < points; ++e) d[e] = element(image_of(tile), tile, e / n_w, e % n_w, s);
  }

  sandwich<n_h, n_h, n_w, n_w>(bt_h, bt_h_over, bt_w, bt_w_over, d, cells);
  float* cell = v + cell_of(item, s.pitch, s.ci);
  const long long point_step = static_cast<long long>(s.pitch) * s.ci;
#pragma unroll
  for (int point = 0; point < points; ++point) cell[point * point_step] = cells[point];
}
