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
// `slices` channels, of which each is (u, v), otherwise. What it reads of x, each element once, goes through shared
// memory (`staging`). Where a vector begins in one slice and ends in the next, the block of the first writes it.
//
//   whole_vectors   NHWC, channels in vectors: a vector of A is a vector of x
//   lines           what a tap row reads lies together in x (NCHW; NHWC of one group): it is copied by the vectors of
//   x,
//                   wherever in a vector it begins, and the patch keeps that phase
//
// A thread writes the same vector of every row: it works out once where its elements lie in the patch, and from pixel
// to pixel they all move by the same step. A warp takes `lanes` neighbouring vectors of 32/lanes pixels: elements of
// one row are read four words apart, by eight lanes on different banks, and those of other pixels fall between.
//
// The pixels of a block are tile_q neighbours in a row of y, or, where images are the fastest axis of x, tile_n images.
#include "common/default_layer.h"
#include "common/element.cuh"
#include "im2col/columns.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 288, slices = 3, tile_q = 27, tile_n = 1, lanes = 8;
constexpr bool staging = true, whole_vectors = true, lines = false;
#endif

constexpr int vector = 16 / sizeof(Element), pixels = tile_q * tile_n;
// Of images in the patch: one more word than a multiple of 32, as threads of a warp read one image of many cells.
constexpr int pitch = tile_n > 1 ? tile_n + 4 / static_cast<int>(sizeof(Element)) : 1;

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
constexpr int unit = sizeof(Unit) / sizeof(Element);

// What a tap row of a slice reads, as it lies in x: positions `begin` to `end` are in the image. `first` may be
// outside.
struct Line {
  const Element* first;
  int begin, end;

  // How far position 0 is behind a vector of x.
  __device__ __forceinline__ int phase() const {
    return static_cast<int>(reinterpret_cast<unsigned long long>(first) / sizeof(Element) % vector);
  }
  // The vector of x that begins `phase` before position 8·i, with zeros for what is not in the image.
  __device__ __forceinline__ uint4 load(int i) const {
    const int from = i * vector - phase();
    if (from >= begin && from + vector <= end) return *reinterpret_cast<const uint4*>(first + from);
    alignas(16) Element values[vector];
#pragma unroll
    for (int e = 0; e < vector; ++e) values[e] = from + e >= begin && from + e < end ? first[from + e] : rounded(0.0f);
    return *reinterpret_cast<const uint4*>(values);
  }
};

extern "C" __global__ void __launch_bounds__(threads) lower(const Element* __restrict__ x, Element* __restrict__ a,
                                                            long long first_image, long long images, const Sizes s) {
  extern __shared__ uint4 shared[];  // (slice, column, channel) in NHWC, else (slice, u, column, image)
  Element* const patch = reinterpret_cast<Element*>(shared);
  const int width = (tile_q - 1) * s.stride_w + (s.wf - 1) * s.dilation_w + 1;
  const int all_slices = channels_last ? s.hf : s.cig, slice = channels_last ? s.wf * s.cig : s.hf * s.wf;
  // Elements of a tap row in the patch: with room for a phase where it is copied by vectors.
  const int line = width * (channels_last ? s.cig : pitch);
  const int line_pitch = lines ? (line + 2 * vector - 2) / vector * vector : line;

  // Which block this is: (image tile, p, q tile, group, tile of slices), the last fastest: rows are completed soon.
  int rest = blockIdx.x;
  const auto digit = [&rest](int base) {
    const int value = rest % base;
    rest /= base;
    return value;
  };
  const int first_slice = digit((all_slices + slices - 1) / slices) * slices, group = digit(s.groups);
  const int q0 = digit((s.wo + tile_q - 1) / tile_q) * tile_q, p = digit(s.ho), n0 = rest * tile_n;
  const int end_slice = min(first_slice + slices, all_slices);
  const int first_vector = (first_slice * slice + vector - 1) / vector;
  const int end_vector = (end_slice * slice + vector - 1) / vector;
  const int held = min((end_vector * vector - 1) / slice + 1, all_slices) - first_slice;
  const int h0 = p * s.stride_h - s.pad_top, w0 = q0 * s.stride_w - s.pad_left;
  const Element* const image0 = x + (first_image + n0) * s.x_n + group * s.cig * static_cast<long long>(s.x_c);

  // The unit of x at channel c of the group and tap row u, `column` columns and `image` images from the block's first.
  const auto read = [&](int c, int u, int column, int image) {
    const int h = h0 + u * s.dilation_h, w = w0 + column;
    const bool inside = h >= 0 && h < s.hi && w >= 0 && w < s.wi && n0 + image < images;
    return inside ? *reinterpret_cast<const Unit*>(
                        image0 + image * static_cast<long long>(s.x_n) + c * static_cast<long long>(s.x_c) +
                        h * static_cast<long long>(s.x_h) + w * static_cast<long long>(s.x_w))
                  : UnitOf<whole_vectors>::zero();
  };
  // Tap row number `index` of the patch.
  const auto line_at = [&](int index) {
    const int u = channels_last ? first_slice + index : index % s.hf,
              c = channels_last ? 0 : first_slice + index / s.hf;
    const int h = h0 + u * s.dilation_h, step = channels_last ? s.cig : 1;
    const bool inside = h >= 0 && h < s.hi;
    return Line{image0 + c * static_cast<long long>(s.x_c) + h * static_cast<long long>(s.x_h) +
                    w0 * static_cast<long long>(s.x_w),
                max(-w0, 0) * step, inside ? min(s.wi - w0, width) * step : 0};
  };
  const int held_lines = held * (channels_last ? 1 : s.hf);
  if constexpr (staging && lines) {
    const int vectors = line_pitch / vector;
#pragma unroll 4
    for (int e = threadIdx.x; e < held_lines * vectors; e += threads)
      shared[e] = line_at(e / vectors).load(e % vectors);
    __syncthreads();
  } else if constexpr (staging) {
    // In the order of x's memory.
    const int across = channels_last ? s.cig / unit : tile_n;
#pragma unroll 4
    for (int e = threadIdx.x; e < held_lines * width * across; e += threads) {
      const int column = e / across % width, index = e / across / width;
      if constexpr (channels_last)
        reinterpret_cast<Unit*>(patch)[e] = read(e % across * unit, first_slice + index, column, 0);
      else
        reinterpret_cast<Unit*>(patch)[e / across * pitch + e % across] =
            read(first_slice + index / s.hf, index % s.hf, column, e % across);
    }
    __syncthreads();
  }

  // Warp → a group of `lanes` vectors and every few pixels, or, where groups are many, several of them and all pixels.
  constexpr int warps = threads / 32, warp_rows = 32 / lanes;
  const int groups = (end_vector - first_vector + lanes - 1) / lanes, groups_at_once = max(1, min(groups, warps));
  const int rows = warps / groups_at_once * warp_rows, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_pixel = warp / groups_at_once * warp_rows + lane / lanes;
  if (first_pixel >= rows) return;
  for (int g = warp % groups_at_once; g < groups; g += groups_at_once) {
    const int v = first_vector + g * lanes + lane % lanes;
    if (v >= end_vector) continue;
    constexpr int units = vector / unit;
    const int valid = s.cig * s.hf * s.wf - v * vector;  // elements of the window that are left
    Column at[units];
    int place[units];
#pragma unroll
    for (int e = 0; e < units; ++e) {
      at[e] = column_at(v * vector + e, s);
      const int shift = at[e].v * s.dilation_w;
      const int index = channels_last ? at[e].u - first_slice : (at[e].c - first_slice) * s.hf + at[e].u;
      place[e] = index * line_pitch + (channels_last ? shift * s.cig + at[e].c : shift * pitch);
      if constexpr (lines) place[e] += line_at(index).phase();
    }
    Element* const columns = a + group * s.row + v * vector;
#pragma unroll 4
    for (int j = first_pixel; j < pixels; j += rows) {
      const int image = j % tile_n, q = j / tile_n;
      if (q0 + q >= s.wo || n0 + image >= images) continue;
      alignas(16) Unit values[units];
      const int step = q * s.stride_w;
#pragma unroll
      for (int e = 0; e < units; ++e) {
        const Element* const staged = patch + place[e] + (channels_last ? step * s.cig : step * pitch + image);
        values[e] = e >= valid ? UnitOf<whole_vectors>::zero()
                    : staging  ? *reinterpret_cast<const Unit*>(staged)
                               : read(at[e].c, at[e].u, at[e].v * s.dilation_w + step, image);
      }
      const long long row =
          (n0 + image) * static_cast<long long>(s.row_n) + (p * s.wo + q0 + q) * static_cast<long long>(s.row_pixel);
      *reinterpret_cast<uint4*>(columns + row * s.groups * s.row) = *reinterpret_cast<const uint4*>(values);
    }
  }
}
