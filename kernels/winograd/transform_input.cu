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
// A thread transforms one tile of one channel in registers. Elements outside the image are zeros. In NCHW neighbouring
// threads read elements m_w apart, and the L1 cache makes up for that; what they write, which is more, are neighbours.
//
// Source: Lavin & Gray 2016, arXiv 1509.09308.
#include "winograd/winograd.cuh"

// Threads of a multiprocessor, and by that registers a thread: with 64 and 1024 threads nothing spills on Hopper, and
// more would leave threads idle. For other GPUs the compiler needs more.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
constexpr int resident = 512;
#else
constexpr int resident = 1024;
#endif
constexpr int blocks_per_sm = points <= 36 ? resident / threads : 1;

extern "C" __global__ void __launch_bounds__(threads, blocks_per_sm)
    transform_input(const Element* __restrict__ x, Element* __restrict__ v, long long first_image, long long chunk,
                    const Sizes s) {
  const int images = static_cast<int>(chunk), tiles = images * s.tiles_h * s.tiles_w;
  const Item item = item_of_thread(tiles, s.ci);
  if (item.tile >= tiles) return;
  const Tile tile = tile_at(item.tile, images, s);
  const Element* const image = x + (first_image + tile.n) * s.x_n + item.channel * static_cast<long long>(s.x_c);

  float d[points], cells[points];
#pragma unroll
  for (int e = 0; e < points; ++e) {
    const int h = tile.t * m_h - s.pad_top + e / n_w, w = tile.s * m_w - s.pad_left + e % n_w;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi;
    d[e] = inside ? to_float(image[h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w)]) : 0.0f;
  }
  sandwich<n_h, n_h, n_w, n_w>(bt_h, bt_h_over, bt_w, bt_w_over, d, cells);
  Element* const cell = v + cell_of(item, s.pitch, s.ci);
  const long long point_step = static_cast<long long>(s.pitch) * s.ci;
#pragma unroll
  for (int point = 0; point < points; ++point) cell[point * point_step] = rounded(cells[point]);
}
