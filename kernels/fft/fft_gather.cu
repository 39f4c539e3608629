// Tiles as dense real arrays, for a transform by a library.
//
//   tiles[channel·phase][tile][q][r] = the element of x, or the tap of w, that stands at (q, r)      (fft_tile.cuh)
//
//   x, one channel                        tiles of x                tile of w
//   +---------------------+               +-------+  +-------+      +---+-------+
//   |   +-------+         |               | 0     |  |   |   |      | w |   0   |
//   |   |   +---|---+     |   ------->    |       |  | <-----|--    +---+       |     P_h × P_w each
//   |   +---|---+   |     |               +-------+  +-------+      |     0     |
//   |       +-------+     |            neighbours share a filter    +-----------+
//   +---------------------+                less one tap
//
// A thread an element. Overlapping tiles repeat elements, and a filter's tile is mostly zeros: this copy is what the
// transforms in fft_forward.cu do without.
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "fft/fft_tile.cuh"

constexpr int threads = 256;

extern "C" __global__ void __launch_bounds__(threads)
    fft_gather(const Element* __restrict__ operand, float* __restrict__ out, long long tiles, const Sizes s) {
  const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
  const int phases_w = columns.phases(), phases = rows.phases() * phases_w;
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const int r = index % points_w, q = index / points_w % points_h;
  const long long line = index / points_w / points_h, tile = line % tiles;
  const int channel = line / tiles;
  if (channel >= (of_filter ? s.cig : s.ci) * phases) return;
  out[index] = TileReader(operand, s, channel, tile, true)(s, q, r);
}
