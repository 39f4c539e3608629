// The lowering of im2col: every window becomes a row of a matrix.
//
//   A((n, p, q), k) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)      k = (u, v, c) in NHWC, else (c, u, v)
//
//   x, `slices` filter rows or channels                 rows of A, one an output pixel
//   +---------------+                                   +---------------------------+
//   |               |    patch in shared memory         | 16 bytes | 16 bytes | ... |  pixel j = 0
//   | [===========] |   ---------------------->   j ->  | 16 bytes | 16 bytes | ... |  pixel j = 1
//   | [===========] |                                   |   ...                     |
//   +---------------+                                   +---------------------------+
//     of tile_q windows                                   a thread keeps its vector of columns
//
// Each element of x is written H_f·W_f/(s_h·s_w) times, so writing sets the pace, and everything is written in vectors
// of 16 bytes. A block takes some columns of its pixels' rows: `slices` filter rows, of which each is (v, c), in NHWC;
// `slices` channels, of which each is (u, v), otherwise. Where a vector begins in one slice and ends in the next, the
// block of the first writes it.
//
//   whole_vectors   NHWC, channels in vectors: a vector of A is a vector of x, and is best copied as it is
//   staging         what a row of pixels reads of x, each element once, goes through shared memory
//   lines           what a tap row reads lies together in x (NCHW; NHWC of one group) and is copied by vectors: a line
//                   begins as far into a vector of the patch as in x, by `row_pitch` and `slice_pitch`
//
// A thread writes the same vector of every row: it works out once where its elements lie in the patch, and from pixel
// to pixel they all move by the same step. A warp takes `lanes` neighbouring vectors of 32/lanes pixels: elements of
// one row are read four words apart, by eight lanes on different banks, and those of other pixels fall between.
//
// The pixels of a block are tile_q neighbours in each of tile_p rows of y, one row after the other, or, where images
// are the fastest axis of x, tile_n images of one pixel.
//
// Source: Chellapilla, Puri & Simard 2006.
#include "common/default_layer.h"
#include "im2col/columns.cuh"
#include "im2col/vectors.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 288, slices = 3, tile_p = 1, tile_q = 27, tile_n = 1, lanes = 8;
constexpr int slice_pitch = 1856, row_pitch = 1856;
constexpr bool staging = false, whole_vectors = true, lines = false;
#endif

constexpr bool of_images = tile_n > 1;  // along which a block's pixels are
// Of images in the patch: one more word than a multiple of 32, as threads of a warp read one image of many cells.
constexpr int pitch = of_images ? tile_n + 4 / bits_bytes : 1;

// What a thread copies at a time: an element, or a whole vector.
using Unit = typename BitsOf<whole_vectors ? 16 : bits_bytes>::Type;
constexpr int unit = sizeof(Unit) / bits_bytes, units = vector / unit;

// Threads of a multiprocessor: fewer hide less, and more leave too few registers for the vectors that each has on its
// way. Tuned, and free of spills, on Hopper; for other GPUs the compiler needs more registers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
constexpr int resident = 512;
#else
constexpr int resident = 768;
#endif

extern "C" __global__ void __launch_bounds__(threads, resident / threads)
    lower(const Bits* __restrict__ x, Bits* __restrict__ a, long long first_image, long long images, const Sizes s) {
  extern __shared__ uint4 shared[];  // (slice, column, channel) in NHWC, else (slice, u, column, image)
  Bits* const patch = reinterpret_cast<Bits*>(shared);
  const int width = (tile_q - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;
  const int all_slices = channels_last ? s.hf : s.cig, slice = channels_last ? s.wf * s.cig : s.hf * s.wf;
  const int line = width * (channels_last ? s.cig : pitch);  // elements of a tap row in the patch

  // Which block this is: (image tile, p tile, q tile, group, tile of slices), the last fastest: rows are completed
  // soon.
  int rest = blockIdx.x;
  const auto digit = [&rest](int base) {
    const int value = rest % base;
    rest /= base;
    return value;
  };
  const int first_slice = digit((all_slices + slices - 1) / slices) * slices, group = digit(s.groups);
  const int q0 = digit((s.wo + tile_q - 1) / tile_q) * tile_q, p0 = digit((s.ho + tile_p - 1) / tile_p) * tile_p;
  const int n0 = rest * tile_n, w0 = q0 * s.stride_w - s.pad_left;
  const int end_slice = min(first_slice + slices, all_slices);
  const int first_vector = (first_slice * slice + vector - 1) / vector;
  const int end_vector = (end_slice * slice + vector - 1) / vector;
  const int held = min((end_vector * vector - 1) / slice + 1, all_slices) - first_slice;
  const int held_lines = held * (channels_last ? 1 : s.hf);
  const int pixels = of_images ? min(tile_n, static_cast<int>(images) - n0) : min(tile_q, s.wo - q0);
  const Bits* const image0 = x + (first_image + n0) * s.x_n + group * s.cig * static_cast<long long>(s.x_c);

  // The unit of x at channel c of the group, row h, `column` columns and `image` images from the block's first.
  const auto read = [&](int c, int h, int column, int image) {
    const int w = w0 + column;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi && n0 + image < images;
    return inside ? *reinterpret_cast<const Unit*>(
                        image0 + image * static_cast<long long>(s.x_n) + c * static_cast<long long>(s.x_c) +
                        h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w))
                  : Unit{};
  };
  // Where what a tap row of the block reads begins in x.
  const auto line_at = [&](int c, int h) {
    return image0 + c * static_cast<long long>(s.x_c) + h * static_cast<long long>(s.x_h) +
           w0 * static_cast<long long>(s.x_w);
  };
  // Brings what the pixels of a row of y read to shared memory, in the order of x's memory; h0: of its first tap.
  const auto stage = [&](int h0, int phase) {
    if constexpr (lines) {
      const int step = channels_last ? s.cig : 1, vectors = (line + 2 * vector - 2) / vector;
      for (int e = threadIdx.x; e < held_lines * vectors; e += threads) {
        const int index = e / vectors, slice_index = channels_last ? index : index / s.hf;
        const int u = channels_last ? first_slice + index : index % s.hf, h = h0 + u * s.dilation_h;
        const Bits* const start = line_at(channels_last ? 0 : first_slice + slice_index, h);
        const int from = e % vectors * vector - phase_of(start);
        const int begin = w0 < 0 ? -w0 * step : -vector, end = h >= 0 && h < s.hi ? (s.wi - w0) * step : begin;
        const int place = slice_index * slice_pitch + (channels_last ? 0 : u * row_pitch);
        if (from < line)
          *reinterpret_cast<uint4*>(patch + phase + place + from) =
              vector_of_line(start, from, begin, end, x, x + s.n * static_cast<long long>(s.x_n));
      }
    } else {
      const int across = channels_last ? s.cig / unit : tile_n;
#pragma unroll 4
      for (int e = threadIdx.x; e < held_lines * width * across; e += threads) {
        const int column = e / across % width, index = e / across / width;
        const int h = h0 + (channels_last ? first_slice + index : index % s.hf) * s.dilation_h;
        if constexpr (channels_last)
          reinterpret_cast<Unit*>(patch)[e] = read(e % across * unit, h, column, 0);
        else
          reinterpret_cast<Unit*>(patch)[e / across * pitch + e % across] =
              read(first_slice + index / s.hf, h, column, e % across);
      }
    }
  };

  // Warp → a group of `lanes` vectors and every few pixels, or, where groups are many, several of them and all pixels.
  constexpr int warps = threads / 32, warp_rows = 32 / lanes;
  const int groups = (end_vector - first_vector + lanes - 1) / lanes, groups_at_once = max(1, min(groups, warps));
  const int rows = warps / groups_at_once * warp_rows, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_pixel = warp / groups_at_once * warp_rows + lane / lanes;
  const long long row_length = static_cast<long long>(s.groups) * s.row;
  constexpr int outside = -(1 << 30);  // a column that no step brings into an image
  int prepared = -1;                   // the group whose columns are known
  Column at[units];
  int place[units];  // of the first pixel, in the patch
  for (int p = p0; p < min(p0 + tile_p, s.ho); ++p) {
    const int h0 = p * s.stride_h - s.pad_top;
    const int phase =
        lines ? phase_of(channels_last ? line_at(0, h0 + first_slice * s.dilation_h) : line_at(first_slice, h0)) : 0;
    if constexpr (staging) {
      if (p > p0) __syncthreads();  // nobody reads the last row's any more
      stage(h0, phase);
      __syncthreads();
    }
    for (int g = warp % groups_at_once; g < groups && first_pixel < rows; g += groups_at_once) {
      const int v = first_vector + g * lanes + lane % lanes;
      if (v >= end_vector) continue;
      if (g != prepared) {
#pragma unroll
        for (int e = 0; e < units; ++e) {
          at[e] = column_at(min(v * vector + e, s.cig * s.hf * s.wf - 1), s);
          const int shift = at[e].v * s.dilation_w;
          place[e] = channels_last ? (at[e].u - first_slice) * slice_pitch + shift * s.cig + at[e].c
                                   : (at[e].c - first_slice) * slice_pitch + at[e].u * row_pitch + shift * pitch;
        }
        prepared = g;
      }
      const int valid = min(s.cig * s.hf * s.wf - v * vector, vector);  // elements of the window that are left
      const uint4 kept = mask(0, valid);
      // Where this thread's first pixel reads, in the patch or in x, and its column there.
      const Bits* from[units];
      int column[units];
      const int step_w = of_images ? 0 : s.stride_w;
      const long long step = staging     ? (of_images ? 1 : s.stride_w * (channels_last ? s.cig : 1))
                             : of_images ? s.x_n
                                         : static_cast<long long>(s.stride_w) * s.x_w;
#pragma unroll
      for (int e = 0; e < units; ++e) {
        const int h = h0 + at[e].u * s.dilation_h, w = w0 + at[e].v * s.dilation_w;
        from[e] = (staging ? patch + phase + place[e]
                           : image0 + at[e].c * static_cast<long long>(s.x_c) + h * static_cast<long long>(s.x_h) +
                                 w * static_cast<long long>(s.x_w)) +
                  first_pixel * step;
        column[e] = h >= 0 && h < s.hi && e < valid ? w + first_pixel * step_w : outside;
      }
      const long long row_step = (of_images ? s.row_n : s.row_pixel) * row_length;
      Bits* const to =
          a + group * s.row + v * vector + first_pixel * row_step +
          (n0 * static_cast<long long>(s.row_n) + (p * s.wo + q0) * static_cast<long long>(s.row_pixel)) * row_length;
      constexpr int together = 4;  // vectors that are on their way before the first is stored
#pragma unroll 1
      for (int j0 = 0; j0 < tile_q * tile_n; j0 += together * rows) {
        uint4 vectors[together];
#pragma unroll
        for (int b = 0; b < together; ++b) {
          const int j = j0 + b * rows;
          if (j + first_pixel >= pixels) continue;
          Unit values[units];
#pragma unroll
          for (int e = 0; e < units; ++e) {
            const bool inside = staging || static_cast<unsigned>(column[e] + j * step_w) < static_cast<unsigned>(s.wi);
            values[e] = inside ? *reinterpret_cast<const Unit*>(from[e] + j * step) : Unit{};
          }
          vectors[b] = staging ? vector_of(values) & kept : vector_of(values);
        }
#pragma unroll
        for (int b = 0; b < together; ++b)
          if (const int j = j0 + b * rows; j + first_pixel < pixels)
            __stwb(reinterpret_cast<uint4*>(to + j * row_step), vectors[b]);
      }
    }
  }
}
