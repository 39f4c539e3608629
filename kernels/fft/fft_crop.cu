// Outputs from tiles that a library has transformed back: what has wrapped is left out, strides are taken.
//
//   y(n, o, p, q) = bias(o) + tiles[o][n, i, j][(p mod m_h)·t_h][(q mod m_w)·t_w] / (P_h·P_w)
//
//   a tile, P_h × P_w                  y, one channel
//   +-------------+-----+              +-----+-----+--
//   | o . o . o . |     |   every      | i,j |     |      a tile gives m_h × m_w outputs, and they lie side by side
//   | . . . . . . | has |   t-th  -->  +-----+-----+--
//   | o . o . o . | wrap|              |     |     |
//   +-------------+ ped |
//   |                   |
//   +-------------------+
//
// with m outputs a tile, i = ⌊p / m_h⌋, j = ⌊q / m_w⌋, and every t-th output kept (fft_axis.cuh). A thread an output,
// in the order of y's memory.
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "fft/fft_layer.cuh"

constexpr int threads = 256;

// y begins with the first of `images` images.
extern "C" __global__ void __launch_bounds__(threads)
    fft_crop(const float* __restrict__ in, const float* __restrict__ bias, float* __restrict__ y, long long images,
             const Sizes s) {
  const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  if (index >= images * s.co * s.ho * s.wo) return;
  int n, o, p, q;
  if constexpr (y_layout == NCHW) {
    q = index % s.wo, p = index / s.wo % s.ho, o = index / s.wo / s.ho % s.co, n = index / s.wo / s.ho / s.co;
  } else if constexpr (y_layout == NHWC) {
    o = index % s.co, q = index / s.co % s.wo, p = index / s.co / s.wo % s.ho, n = index / s.co / s.wo / s.ho;
  } else {
    n = index % images, q = index / images % s.wo, p = index / images / s.wo % s.ho, o = index / images / s.wo / s.ho;
  }
  const int i = p / rows.per_tile(), j = q / columns.per_tile();
  const long long tile = (n * static_cast<long long>(rows.tiles()) + i) * columns.tiles() + j;
  const long long line = o * images * rows.tiles() * columns.tiles() + tile;
  const int row = (p - i * rows.per_tile()) * rows.keep(), column = (q - j * columns.per_tile()) * columns.keep();
  const float sum = in[(line * points_h + row) * points_w + column];
  y[n * static_cast<long long>(s.y_n) + o * static_cast<long long>(s.y_c) + p * static_cast<long long>(s.y_h) +
    q * static_cast<long long>(s.y_w)] = (has_bias ? bias[o] : 0.0f) + sum * (1.0f / (points_h * points_w));
}
