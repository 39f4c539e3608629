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
//   lines           what a tap row reads lies together in x (NCHW; NHWC of one group) and is read by vectors
//
// A thread writes the same vector of every row: it works out once where its elements lie in the patch, and from pixel
// to pixel they all move by the same step. A warp takes `lanes` neighbouring vectors of 32/lanes pixels: elements of
// one row are read four words apart, by eight lanes on different banks, and those of other pixels fall between.
//
// The pixels of a block are tile_q neighbours in each of tile_p rows of y, one row after the other, or, where images
// are the fastest axis of x, tile_n images of one pixel.
#include "common/default_layer.h"
#include "common/element.cuh"
#include "im2col/columns.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 288, slices = 3, tile_p = 4, tile_q = 27, tile_n = 1, lanes = 8;
constexpr bool staging = false, whole_vectors = true, lines = false;
#endif

constexpr int vector = 16 / sizeof(Element);
constexpr bool of_images = tile_n > 1;  // along which a block's pixels are
// Of images in the patch: one more word than a multiple of 32, as threads of a warp read one image of many cells.
constexpr int pitch = of_images ? tile_n + 4 / static_cast<int>(sizeof(Element)) : 1;

// What a thread reads at a time: an element, or 16 bytes.
template <bool whole>
struct UnitOf {
  using Type = Element;
  static __device__ __forceinline__ Type zero() { return rounded(0.0f); }
};
template <>
struct UnitOf<true> {
  using Type = uint4;
  static __device__ __forceinline__ Type zero() { return make_uint4(0, 0, 0, 0); }
};
using Unit = typename UnitOf<whole_vectors>::Type;
constexpr int unit = sizeof(Unit) / sizeof(Element), units = vector / unit;

// Copies a line of `length` elements that begins at `first`, anywhere in a vector of x: its vector number i. Positions
// before `begin` and from `end` on are not in the image.
__device__ __forceinline__ void copy_vector(Element* to, const Element* first, int i, int length, int begin, int end) {
  const int phase = static_cast<int>(reinterpret_cast<unsigned long long>(first) / sizeof(Element) % vector);
  const int from = i * vector - phase;
  const bool whole = from >= begin && from + vector <= end;
  alignas(16) Element values[vector];
  if (whole) *reinterpret_cast<uint4*>(values) = *reinterpret_cast<const uint4*>(first + from);
#pragma unroll
  for (int e = 0; e < vector; ++e) {
    const int at = from + e;
    if (at >= 0 && at < length) to[at] = whole ? values[e] : at >= begin && at < end ? first[at] : rounded(0.0f);
  }
}

extern "C" __global__ void __launch_bounds__(threads) lower(const Element* __restrict__ x, Element* __restrict__ a,
                                                            long long first_image, long long images, const Sizes s) {
  extern __shared__ uint4 shared[];  // (slice, column, channel) in NHWC, else (slice, u, column, image)
  Element* const patch = reinterpret_cast<Element*>(shared);
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
  const Element* const image0 = x + (first_image + n0) * s.x_n + group * s.cig * static_cast<long long>(s.x_c);

  // The unit of x at channel c of the group, row h, `column` columns and `image` images from the block's first.
  const auto read = [&](int c, int h, int column, int image) {
    const int w = w0 + column;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi && n0 + image < images;
    return inside ? *reinterpret_cast<const Unit*>(
                        image0 + image * static_cast<long long>(s.x_n) + c * static_cast<long long>(s.x_c) +
                        h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w))
                  : UnitOf<whole_vectors>::zero();
  };
  // Brings what the pixels of a row of y read to shared memory, in the order of x's memory; h0: of its first tap.
  const auto stage = [&](int h0) {
    if constexpr (lines) {
      const int step = channels_last ? s.cig : 1, vectors = (line + 2 * vector - 2) / vector;
      for (int e = threadIdx.x; e < held_lines * vectors; e += threads) {
        const int index = e / vectors, h = h0 + (channels_last ? first_slice + index : index % s.hf) * s.dilation_h;
        const int c = channels_last ? 0 : first_slice + index / s.hf;
        copy_vector(patch + index * line,
                    image0 + c * static_cast<long long>(s.x_c) + h * static_cast<long long>(s.x_h) +
                        w0 * static_cast<long long>(s.x_w),
                    e % vectors, line, max(-w0, 0) * step, h >= 0 && h < s.hi ? min(s.wi - w0, width) * step : 0);
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
  int prepared = -1;  // the group whose columns are known
  Column at[units];
  int place[units];  // of the first pixel, in the patch
  for (int p = p0; p < min(p0 + tile_p, s.ho); ++p) {
    const int h0 = p * s.stride_h - s.pad_top;
    if constexpr (staging) {
      if (p > p0) __syncthreads();  // nobody reads the last row's any more
      stage(h0);
      __syncthreads();
    }
    for (int g = warp % groups_at_once; g < groups && first_pixel < rows; g += groups_at_once) {
      const int v = first_vector + g * lanes + lane % lanes;
      if (v >= end_vector) continue;
      if (g != prepared) {
#pragma unroll
        for (int e = 0; e < units; ++e) {
          at[e] = column_at(v * vector + e, s);
          const int shift = at[e].v * s.dilation_w;
          const int index = channels_last ? at[e].u - first_slice : (at[e].c - first_slice) * s.hf + at[e].u;
          place[e] = index * line + (channels_last ? shift * s.cig + at[e].c : shift * pitch);
        }
        prepared = g;
      }
      const int valid = s.cig * s.hf * s.wf - v * vector;  // elements of the window that are left
      const int step = of_images ? 1 : s.stride_w * (channels_last ? s.cig : 1);
      const long long row =
          n0 * static_cast<long long>(s.row_n) + (p * s.wo + q0) * static_cast<long long>(s.row_pixel);
      Element* const columns = a + row * row_length + group * s.row + v * vector;
#pragma unroll 4
      for (int j = first_pixel; j < pixels; j += rows) {
        alignas(16) Unit values[units];
#pragma unroll
        for (int e = 0; e < units; ++e)
          values[e] = e >= valid ? UnitOf<whole_vectors>::zero()
                      : staging  ? *reinterpret_cast<const Unit*>(patch + place[e] + j * step)
                                 : read(at[e].c, h0 + at[e].u * s.dilation_h,
                                        at[e].v * s.dilation_w + (of_images ? 0 : j * s.stride_w), of_images ? j : 0);
        *reinterpret_cast<uint4*>(columns + j * (of_images ? s.row_n : s.row_pixel) * row_length) =
            *reinterpret_cast<const uint4*>(values);
      }
    }
  }
}
