// Spectra of tiles: many small two-dimensional transforms of real numbers, a block's tiles side by side.
//
//   X̂(k, l) = Σ_{q, r} x(q, r) · e^{−2πi·(k·q/P_h + l·r/P_w)}
//
//   read    thread (tile, r)  columns r and r + P_w/2 as real and imaginary part of P_h complex numbers in registers
//   columns transform them; untangle: A(k) = (Z(k) + conj Z(−k))/2, B(k) = (Z(k) − conj Z(−k))/2i, for k ≤ P_h/2
//   turn    through shared memory
//   rows    thread (k, tile)  row k, P_w complex numbers in registers; rows 0 and P_h/2 are real and go together
//   write   bin after bin; neighbouring threads write neighbouring tiles
//
//        columns                 turn                    rows                 spectra [b][channel][tile]
//     ┌ r      r+P_w/2         ┌ k = 0 ……… P_h/2−1     k ═══════════ l         b │ tile tile tile tile …
//     │ ║      ║       ──▶     │ [k][column][tile] ──▶   ═══════════     ──▶     │ ←  tiles_per_block  →
//     q ║      ║               └                         ═══════════             ▼
//
// For tensor cores elements are scaled as they are read, by the power of two of their tile: the transform cannot
// overflow either, and what is stored is rounded once (fft_store.cuh).
//
// Both real columns of a pair are of one tile: two tiles packed into one transform would leak a NaN, and roundoff, from
// one to the other.
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "fft/fft_block.cuh"
#include "fft/fft_store.cuh"
#include "fft/fft_tile.cuh"

// Writes `tiles` tiles a channel to `spectra`, whose channels are `pitch` numbers apart. `exponents` are the tiles',
// null where spectra are in FP32; `sums` is where a + b goes of each bin of the input, where three multiplications want
// it.
extern "C" __global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    fft_forward(const Element* __restrict__ operand, const int* __restrict__ exponents, void* __restrict__ spectra,
                Stored* __restrict__ sums, long long tiles, long long pitch, const Sizes s) {
  __shared__ float turn[half_h * pitch_k];
  const int phases = rows_of(s).phases() * columns_of(s).phases();
  const int channels = (of_filter ? s.cig : s.ci) * phases;  // a phase is a channel of its own
  const auto [first_channel, first_tile] = first_of_block(channels, phases, tiles);

  Complex z[points_h];
  const ColumnOfThread column;
  if (column.there()) {
    const int channel = first_channel + column.channel;
    const long long tile = first_tile + column.tile;
    const bool there = tile < tiles && channel < channels;
    const TileReader read(operand, s, channel, tile, there);
    const float scale = planes && there ? ldexpf(1.0f, exponents[tile]) : 1.0f;
#pragma unroll
    for (int q = 0; q < points_h; ++q) z[q] = {scale * read(s, q, column.r), scale * read(s, q, column.r + half_w)};
    transform<points_h>(z);
  }

  // Untangled: left(k) of column r, right(k) of column r + P_w/2. The real k = 0 and k = P_h/2 make one row.
  Complex line[points_w];
  const RowOfThread row;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    __syncthreads();
    if (column.there()) {
      float* const put = turn + column.place();
      put[0] = part == 0 ? z[0].re : z[half_h].re, put[half_w * pitch_w] = part == 0 ? z[0].im : z[half_h].im;
#pragma unroll
      for (int k = 1; k < half_h; ++k) {
        const Complex a = z[k], b = z[points_h - k];
        put[k * pitch_k] = 0.5f * (part == 0 ? a.re + b.re : a.im - b.im);
        put[k * pitch_k + half_w * pitch_w] = 0.5f * (part == 0 ? a.im + b.im : b.re - a.re);
      }
    }
    __syncthreads();
    if (row.there()) {
#pragma unroll
      for (int r = 0; r < points_w; ++r) (part == 0 ? line[r].re : line[r].im) = turn[row.place() + r * pitch_w];
    }
  }

  const int channel = first_channel + row.tile / tiles_per_block;
  const long long tile = first_tile + row.tile % tiles_per_block;
  if (!row.there() || channel >= channels || tile >= tiles) return;
  transform<points_w>(line);
  const SpectrumWriter out(spectra, sums, channel, tile, channels, pitch, s);
  if (row.k > 0) {
    const int first = points_w + 2 + (row.k - 1) * points_w;
#pragma unroll
    for (int l = 0; l < points_w; ++l) out.put(first, l, line[l]);
  } else {
#pragma unroll
    for (int l = 0; l <= half_w; ++l) {
      const Complex a = line[l], b = line[(points_w - l) % points_w];
      out.put(0, l, {0.5f * (a.re + b.re), 0.5f * (a.im - b.im)});
      out.put(0, half_w + 1 + l, {0.5f * (a.im + b.im), 0.5f * (b.re - a.re)});
    }
  }
}
