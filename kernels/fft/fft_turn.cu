// Spectra turned between the order of a library's transforms, a tile's bins side by side, and the order of the product,
// a bin's tiles side by side.
//
//   by_tile[channel][tile][bin]   ⇄   by_bin[bin][channel][pitch ≥ tiles]
//
//            bin                                              channel, tile
//      ┌ 32 × 32 ┐┌───     through shared memory, so     ┌ 32 × 32 ┐┌───
//      └─────────┘└─── ──▶ that both sides are read and  └─────────┘└───
//     channel, tile        written along memory           bin
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr bool to_bins = true;
#endif

struct alignas(8) Number {
  float re, im;
};

constexpr int side = 32, threads_y = 8;

extern "C" __global__ void __launch_bounds__(side* threads_y)
    fft_turn(const Number* __restrict__ in, Number* __restrict__ out, long long channels, long long tiles,
             long long pitch, long long bins, const Sizes) {
  __shared__ Number square[side][side + 1];  // the extra column keeps both directions off one bank
  const long long across = (bins + side - 1) / side, lines = channels * tiles;
  const long long first_bin = blockIdx.x % across * side, first_line = blockIdx.x / across * side;
  const auto by_tile = [&](long long line, long long bin) { return line * bins + bin; };
  const auto by_bin = [&](long long line, long long bin) {
    return (bin * channels + line / tiles) * pitch + line % tiles;
  };
  // The fast index of what is read, and of what is written, goes with threadIdx.x.
  for (int slow = threadIdx.y; slow < side; slow += threads_y) {
    const long long line = first_line + (to_bins ? slow : threadIdx.x),
                    bin = first_bin + (to_bins ? threadIdx.x : slow);
    if (line < lines && bin < bins) square[slow][threadIdx.x] = in[to_bins ? by_tile(line, bin) : by_bin(line, bin)];
  }
  __syncthreads();
  for (int slow = threadIdx.y; slow < side; slow += threads_y) {
    const long long line = first_line + (to_bins ? threadIdx.x : slow),
                    bin = first_bin + (to_bins ? slow : threadIdx.x);
    if (line < lines && bin < bins) out[to_bins ? by_bin(line, bin) : by_tile(line, bin)] = square[threadIdx.x][slow];
  }
}
