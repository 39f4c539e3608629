// The lowering of im2col: every window becomes a row of a matrix.
//
//   A((n, p, q), (c, u, v)) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)
//
//   x of tile_c channels                                rows of A, one an output pixel
//   +---------------+                                   +---------------------------+
//   |   H_f rows    |    patch in shared memory         | c u v | c u v | ...       |  pixel j = 0
//   | [===========] |   ---------------------->   j ->  | c u v | c u v | ...       |  pixel j = 1
//   | [===========] |                                   |   ...                     |
//   +---------------+                                   +---------------------------+
//     of tile_q windows                                   a thread keeps its columns
//
// Each element of x is written H_f·W_f/(s_h·s_w) times, so writing sets the pace. A block takes the part of its
// windows' rows that belongs to tile_c channels: what it reads of x, each element once, goes through shared memory
// (`staging`). A thread writes the same columns of every row: it works out once where they lie in the patch, and from
// pixel to pixel they all move by the same step. Neighbouring threads write neighbouring columns.
//
// The pixels of a block are tile_q neighbours in a row of y, or, where images are the fastest axis of x, tile_n images.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256, tile_c = 32, tile_q = 32, tile_n = 1;
constexpr bool staging = true;
#endif

constexpr int pixels = tile_q * tile_n;
constexpr int pitch = tile_n > 1 ? tile_n + 1 : 1;  // of images in the patch: threads read 1, not 32, to a bank

extern "C" __global__ void __launch_bounds__(threads)
lower(const float* __restrict__ x, float* __restrict__ a, long long first_image, long long images, const Sizes s) {
  extern __shared__ float patch[];  // (channel, u, column, image): (tile_c, H_f, width, tile_n)
  const int width = (tile_q - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;
  const int taps = s.hf * s.wf, patch_of_channel = s.hf * width * tile_n;

  // Which block this is: (image tile, p, q tile, channel tile), the last fastest, so that rows are completed soon.
  const int tiles_c = (s.ci + tile_c - 1) / tile_c, tiles_q = (s.wo + tile_q - 1) / tile_q;
  const int c0 = blockIdx.x % tiles_c * tile_c, q0 = blockIdx.x / tiles_c % tiles_q * tile_q;
  const int p = blockIdx.x / tiles_c / tiles_q % s.ho, n0 = blockIdx.x / tiles_c / tiles_q / s.ho * tile_n;
  const int channels = min(tile_c, s.ci - c0), h0 = p * s.stride_h - s.pad_top, w0 = q0 * s.stride_w - s.pad_left;

  const auto element = [&](int c, int u, int column, int image) {
    const int h = h0 + u * s.dilation_h, w = w0 + column;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi && n0 + image < images;
    return inside ? x[(first_image + n0 + image) * s.x_n + (c0 + c) * static_cast<long long>(s.x_c) +
                      h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w)]
                  : 0.0f;
  };
  if constexpr (staging) {
    // In the order of x's memory.
#pragma unroll 4
    for (int e = threadIdx.x; e < channels * patch_of_channel; e += threads) {
      const int image = e % tile_n;
      int c, u, column;
      if constexpr (x_layout == NHWC)
        c = e % channels, column = e / channels % width, u = e / channels / width;
      else
        column = e / tile_n % width, u = e / tile_n / width % s.hf, c = e / tile_n / width / s.hf;
      patch[((c * s.hf + u) * width + column) * pitch + image] = element(c, u, column, image);
    }
    __syncthreads();
  }

  // Thread → a column and every `groups`-th pixel, or, where columns are many, several columns and every pixel.
  const int columns = channels * taps, row_length = s.ci * taps;
  const int groups = tile_c * taps >= threads ? 1 : max(1, threads / columns), group = threadIdx.x / columns;
  if (groups > 1 && group >= groups) return;
  for (int k = groups > 1 ? threadIdx.x % columns : threadIdx.x; k < columns; k += groups > 1 ? columns : threads) {
    const int c = k / taps, u = k / s.wf % s.hf, shift = k % s.wf * s.dilation_w;
    const float* const in_patch = patch + ((c * s.hf + u) * width + shift) * pitch;
    float* const column = a + c0 * taps + k;
#pragma unroll 8
    for (int j = groups > 1 ? group : 0; j < pixels; j += groups) {
      const int image = j % tile_n, q = j / tile_n;
      if (q0 + q >= s.wo || n0 + image >= images) break;
      const long long row = (n0 + image) * static_cast<long long>(s.row_n) +
                            (p * s.wo + q0 + q) * static_cast<long long>(s.row_pixel);
      const int step = q * s.stride_w;
      column[row * row_length] = staging ? in_patch[step * pitch + image] : element(c, u, step + shift, image);
    }
  }
}
