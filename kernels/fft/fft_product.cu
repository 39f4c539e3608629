// The product of spectra: for every bin b and group, a matrix product of complex numbers over the channels.
//
//   Ŷ(b, o, t) = Σ_c X̂(b, c, t) · conj Ŵ(b, c, o)        c = channels·phases of the group, t = tiles of all images
//
//                          Ŵ(b)  c × C_o
//                         ┌──┬────┬──┐
//                       c │  │▒▒▒▒│  │ ↕ tile_k, next slices under way by cp.async
//      X̂(b)  c × tiles    └──┴────┴──┘
//       ┌────────┐        ┌──┬────┬──┐
//       │  ┆▒▒┆  │        │  │████│  │ tile_m × tile_n a block
//       └────────┘ tiles  └──┴────┴──┘ thread_m × thread_n a thread, in registers
//          c
//
// Both operands have c as the slow axis, so a slice of tile_k channels lies in shared memory as it lies in memory, and
// a thread reads pairs of neighbouring numbers (16 bytes). A thread's pairs are a row of threads apart: a warp's eight
// threads along m then read 128 neighbouring bytes.
//
// multiplications = 4: (a + ib)·(c − id) = (ac + bd) + i(bc − ad). With 3, after Gauss, from p = (a + b)·c, q = a·(c +
// d), r = b·(c − d): (p − r) + i(p − q). Each of the three sums runs over all channels; the differences are taken once.
//
// Source: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; in tiles, Vasilache et al. 2015, arXiv 1412.7580.
#include "common/copy_async.cuh"
#include "fft/fft_layer.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 64, tile_k = 8, slices = 3, thread_m = 8, thread_n = 4, multiplications = 4;
constexpr int blocks_per_multiprocessor = 2;
#endif

struct alignas(8) Number {
  float re, im;
};
struct alignas(16) Pair {
  Number first, second;
};

constexpr int threads_m = tile_m / thread_m, threads_n = tile_n / thread_n, threads = threads_m * threads_n;
static_assert(threads_m % 8 == 0 && threads_n % 4 == 0, "a warp is eight threads along m and four along n");
static_assert(thread_m % 2 == 0 && thread_n % 2 == 0, "threads read pairs");

// Copies a matrix of `rows` rows, `pitch` apart, to shared memory, tile_k rows at a time.
template <int columns>
struct SliceReader {
  static constexpr int columns_at_once = columns < threads ? columns : threads;
  static constexpr int rows_at_once = threads / columns_at_once;
  static constexpr bool no_remainder =
      threads % columns_at_once == 0 && columns % columns_at_once == 0 && tile_k % rows_at_once == 0;
  const Number* next;
  long long pitch;
  int rows_left, columns_left, row, column;

  __device__ __forceinline__ SliceReader(const Number* matrix, long long pitch, int rows, long long columns_there)
      : pitch(pitch), row(threadIdx.x / columns_at_once), column(threadIdx.x % columns_at_once) {
    next = matrix + row * pitch + column;
    rows_left = rows - row;
    columns_left = (columns_there < columns ? static_cast<int>(columns_there) : columns) - column;
  }

  __device__ __forceinline__ void copy(Number (&to)[tile_k][columns]) {
#pragma unroll
    for (int k = 0; k < tile_k; k += rows_at_once)
#pragma unroll
      for (int c = 0; c < columns; c += columns_at_once)
        if (no_remainder || (row < rows_at_once && row + k < tile_k && column + c < columns))
          copy_async_bytes<8>(&to[row + k][column + c], next + k * pitch + c,
                              c < columns_left && k < rows_left ? 8 : 0);
    next += tile_k * pitch, rows_left -= tile_k;
  }
};

// The sums of one output: the real and imaginary part, or Gauss's three.
struct Sum {
  float part[multiplications == 4 ? 2 : 3];

  __device__ __forceinline__ void add(Number x, Number w) {
    if constexpr (multiplications == 4) {
      part[0] = fmaf(x.re, w.re, part[0]), part[0] = fmaf(x.im, w.im, part[0]);
      part[1] = fmaf(x.im, w.re, part[1]), part[1] = fmaf(-x.re, w.im, part[1]);
    } else {
      part[0] = fmaf(x.re + x.im, w.re, part[0]);
      part[1] = fmaf(x.re, w.re + w.im, part[1]);
      part[2] = fmaf(x.im, w.re - w.im, part[2]);
    }
  }
  __device__ __forceinline__ Number value() const {
    if constexpr (multiplications == 4) return {part[0], part[1]};
    return {part[0] - part[2], part[0] - part[1]};
  }
};

// `tiles` tiles a channel, channels `pitch` numbers apart in x and in y.
extern "C" __global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    fft_product(const Number* __restrict__ x, const Number* __restrict__ w, Number* __restrict__ y, long long tiles,
                long long pitch, const Sizes s) {
  alignas(16) __shared__ Number x_slices[slices][tile_k][tile_m];
  alignas(16) __shared__ Number w_slices[slices][tile_k][tile_n];
  const int channels = s.cig * rows_of(s).phases() * columns_of(s).phases();

  // Blocks of one bin and group follow one another: they read the same two matrices.
  const long long down = (tiles + tile_m - 1) / tile_m;
  const int across = (s.cog + tile_n - 1) / tile_n;
  const long long matrix = blockIdx.x / (down * across), within = blockIdx.x % (down * across);
  const int group = matrix % s.groups;
  const long long bin = matrix / s.groups, first_m = within / across * tile_m;
  const int first_n = within % across * tile_n;
  x += (bin * s.groups + group) * channels * pitch + first_m;
  w += bin * channels * s.co + group * s.cog + first_n;
  y += (bin * s.co + group * s.cog + first_n) * pitch + first_m;
  SliceReader<tile_m> read_x(x, pitch, channels, tiles - first_m);
  SliceReader<tile_n> read_w(w, s.co, channels, s.cog - first_n);
  const auto copy = [&](int slice) {
    read_x.copy(x_slices[slice]);
    read_w.copy(w_slices[slice]);
    close_batch();
  };

  // Lanes that differ in bit 0 read the same numbers of x, in bit 1 the same numbers of w: half the shared reads merge.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m = warp % (threads_m / 8) * 8 + lane / 2 % 8, n = warp / (threads_m / 8) * 4 + lane / 16 * 2 + lane % 2;
  Sum sum[thread_m][thread_n] = {};
#pragma unroll
  for (int slice = 0; slice < slices - 1; ++slice) copy(slice);
  int slice = 0;
#pragma unroll 1
  for (int first = 0; first < channels; first += tile_k) {
    wait_for_batches<slices - 2>();
    __syncthreads();
    copy(slice == 0 ? slices - 1 : slice - 1);  // which the barrier has set free
#pragma unroll
    for (int k = 0; k < tile_k; ++k) {
      Number a[thread_m], b[thread_n];
#pragma unroll
      for (int i = 0; i < thread_m; i += 2) {
        const Pair pair = *reinterpret_cast<const Pair*>(&x_slices[slice][k][2 * m + i * threads_m]);
        a[i] = pair.first, a[i + 1] = pair.second;
      }
#pragma unroll
      for (int j = 0; j < thread_n; j += 2) {
        const Pair pair = *reinterpret_cast<const Pair*>(&w_slices[slice][k][2 * n + j * threads_n]);
        b[j] = pair.first, b[j + 1] = pair.second;
      }
#pragma unroll
      for (int i = 0; i < thread_m; ++i)
#pragma unroll
        for (int j = 0; j < thread_n; ++j) sum[i][j].add(a[i], b[j]);
    }
    slice = slice == slices - 1 ? 0 : slice + 1;
  }

#pragma unroll
  for (int j = 0; j < thread_n; ++j) {
    const int column = 2 * n + j / 2 * 2 * threads_n + j % 2;
    if (column >= s.cog - first_n) continue;
#pragma unroll
    for (int i = 0; i < thread_m; i += 2) {
      const int row = 2 * m + i * threads_m;
      Number* const out = y + column * pitch + row;
      if (pitch % 2 == 0 && row + 1 < tiles - first_m) {
        *reinterpret_cast<Pair*>(out) = {sum[i][j].value(), sum[i + 1][j].value()};
      } else {
        if (row < tiles - first_m) out[0] = sum[i][j].value();
        if (row + 1 < tiles - first_m) out[1] = sum[i + 1][j].value();
      }
    }
  }
}
