// Outputs from product spectra: many small inverse transforms, of which only what has not wrapped is kept.
//
//   y(n, o, i·m_h + p, j·m_w + q) = bias(o) + Re Σ_{k, l} Ŷ(k, l) · e^{+2πi·(k·p·t_h/P_h + l·q·t_w/P_w)} / (P_h·P_w)
//
// with m outputs a tile and every t-th kept (fft_axis.cuh). The forward transform backwards:
//
//   read    thread (k, tile)  row k of Ŷ, P_w complex numbers in registers, neighbouring tiles side by side;
//           rows 0 and P_h/2, whose inverses are real, as real and imaginary part of one
//   rows    inverse transform
//   turn    through shared memory
//   columns thread (tile, r)  A(k) of column r and B(k) of column r + P_w/2, made whole by A(P_h−k) = conj A(k), as
//           Z = A + i·B; inverse transform: column r is the real part, column r + P_w/2 the imaginary one
//   write   the kept rows; neighbouring threads write neighbouring columns
//
//     spectra [b][tile]       rows                turn                      columns               y
//      b │ tile tile …       k ═══════ l      ┌ k = 0 …… P_h/2−1         ┌ r      r+P_w/2     ┌──────┬──┐
//        │ ← a block →   ──▶   ═══════   ──▶  │ [k][column][tile]   ──▶  │ ║      ║      ──▶  │ kept │  │  what has
//        ▼                     ═══════        └                          q ║      ║           ├──────┘  │  wrapped is
//                                                                                             └─────────┘  left out
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "fft/fft_block.cuh"
#include "fft/fft_store.cuh"

// `spectra` has `tiles` tiles an output channel, channels `pitch` numbers apart; y begins with the first tile's image.
// Products of short spectra are times the powers of two of the tile and of the output channel's filter.
extern "C" __global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    fft_inverse(const void* __restrict__ spectra, const int* __restrict__ of_tiles, const int* __restrict__ of_filters,
                const Element* __restrict__ bias, Element* __restrict__ y, long long tiles, long long pitch,
                const Sizes s) {
  __shared__ float turn[half_h * pitch_k];
  const SpectrumAxis rows = rows_of(s), columns = columns_of(s);
  const auto [first_channel, first_tile] = first_of_block(s.co, 1, tiles);

  Complex line[points_w];
  const RowOfThread row;
  const int row_channel = first_channel + row.tile / tiles_per_block;
  const long long row_tile = first_tile + row.tile % tiles_per_block;
  const bool row_there = row.there() && row_channel < s.co && row_tile < tiles;
  if (row_there) {
    const SpectrumReader in(spectra, row_channel, row_tile, pitch, s);
    if (row.k > 0) {
      const int first = points_w + 2 + (row.k - 1) * points_w;
#pragma unroll
      for (int l = 0; l < points_w; ++l) line[l] = in.get(first, l);
    } else {
#pragma unroll
      for (int l = 0; l <= half_w; ++l) {
        const Complex a = in.get(0, l), b = in.get(0, half_w + 1 + l);
        line[l] = {a.re - b.im, a.im + b.re};
        if (l > 0 && l < half_w) line[points_w - l] = {a.re + b.im, b.re - a.im};
      }
    }
    inverse_transform<points_w>(line);
  }

  Complex z[points_h];
  const ColumnOfThread column;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    __syncthreads();
    if (row_there) {
#pragma unroll
      for (int r = 0; r < points_w; ++r) turn[row.place() + r * pitch_w] = part == 0 ? line[r].re : line[r].im;
    }
    __syncthreads();
    if (column.there()) {
      const float* const get = turn + column.place();
      z[part == 0 ? 0 : half_h] = {get[0], get[half_w * pitch_w]};
#pragma unroll
      for (int k = 1; k < half_h; ++k) {
        const float a = get[k * pitch_k], b = get[k * pitch_k + half_w * pitch_w];
        if (part == 0) {
          z[k] = z[points_h - k] = {a, b};
        } else {
          z[k].re -= b, z[k].im += a;
          z[points_h - k].re += b, z[points_h - k].im -= a;
        }
      }
    }
  }

  const int channel = first_channel + column.channel;
  const long long tile = first_tile + column.tile;
  if (!column.there() || channel >= s.co || tile >= tiles) return;
  inverse_transform<points_h>(z);
  const int j = tile % columns.tiles(), i = tile / columns.tiles() % rows.tiles();
  const long long image = tile / columns.tiles() / rows.tiles();
  const float offset = has_bias ? to_float(bias[channel]) : 0.0f;
  // Undone in two halves, neither of which leaves the range of FP32.
  const int exponent = planes ? -of_tiles[tile] - of_filters[channel] : 0;
  const float half_scale = ldexpf(1.0f, exponent / 2),
              scale = ldexpf(1.0f / (points_h * points_w), exponent - exponent / 2);
  const auto output = [&](float sum) {
    return rounded(planes ? offset + half_scale * (scale * sum) : offset + scale * sum);
  };
  Element* const out = y + image * s.y_n + channel * static_cast<long long>(s.y_c) +
                       i * rows.per_tile() * static_cast<long long>(s.y_h) +
                       j * columns.per_tile() * static_cast<long long>(s.y_w);
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const int at = column.r + side * half_w;
    if (at % columns.keep() != 0 || at / columns.keep() >= columns.outputs_of(j)) continue;
    Element* const outputs = out + at / columns.keep() * static_cast<long long>(s.y_w);
#pragma unroll
    for (int q = 0; q < points_h; ++q)
      if (q % rows.keep() == 0 && q / rows.keep() < rows.outputs_of(i))
        outputs[q / rows.keep() * static_cast<long long>(s.y_h)] = output(side == 0 ? z[q].re : z[q].im);
  }
}
