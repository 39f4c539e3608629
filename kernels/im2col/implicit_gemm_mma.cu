// Implicit GEMM on the tensor cores of any GPU since sm_80, by mma.sync: im2col's product, whose left operand is made
// slice by slice in shared memory.
//
//   y(pixel, o) = bias(o) + Σ_k A(pixel, k) · w(k, o)        k = (u, v, c),  pixel = (n, p, q)
//   A(pixel, k) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)
//
//                w: tile_k × tile_n channels        Slices of A and w are in shared memory, `stages` of them: while one
//               ┌───────────────────────────┐       is multiplied, the others are on their way. Threads gather A
//    A          └───────────────────────────┘       (gather.cuh), a pixel each: where eight channels lie together in x
//    by
//   ┌──────┐    ┌───────────────────────────┐       asynchronous copies of 16 bytes, else element by element. The
//   │ tile_m    │ y: tile_m pixels ×        │       filter has a row for each output channel, k contiguous.
//   │ pixels    │    tile_n channels        │
//   └──────┘    └───────────────────────────┘       Pixels are counted through rows and images.
//
// Source: Chetlur et al. 2014, arXiv 1410.0759.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 128, tile_n = 64, tile_k = 32, stages = 3, filter_pitch = 576;
constexpr bool padded = false, vector_gather = true, vector_io = true;
#endif
#include "common/multiply_slices.cuh"
#include "common/schedule.h"
#include "common/store_pixels.cuh"
#include "im2col/gather.cuh"

using Windows = Slice<tile_m, true>;
using Filter = Slice<tile_n, true>;

// A thread's pieces of a slice of A: eight values of k of its pixel each.
__device__ __forceinline__ void bring_windows(Element* slice, const Element* x, const Sizes& s, const Window& window,
                                              int k0) {
  static_assert(threads % tile_m == 0, "a thread keeps one pixel of a tile");
#pragma unroll
  for (int at = threadIdx.x / tile_m * vector; at < tile_k; at += threads / tile_m * vector) {
    Element* const to = slice + threadIdx.x % tile_m * Windows::pitch + at;
    const int k = k0 + at;
    if constexpr (vector_gather) {
      const Tap tap(s, k / s.cig);
      const bool inside = tap.inside(s, window);
      const auto* const from = reinterpret_cast<const Element*>(window.first) + tap.offset(s) + k % s.cig;
      copy_async_16(to, inside ? from : x, inside ? 16 : 0);
    } else {
      *reinterpret_cast<uint4*>(to) = gather(s, window, k);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads)
    implicit_gemm_mma(const Element* __restrict__ filter, const Element* __restrict__ x,
                      const Element* __restrict__ bias, Element* __restrict__ y, const Sizes s) {
  extern __shared__ uint4 shared[];  // stages × (slice of A, slice of w); at the end the tile in FP32
  const int columns = (s.cog + tile_n - 1) / tile_n;
  const TileIndex tile = tile_of_block(blockIdx.x, columns * s.groups, false);
  const int group = tile.column / columns, o_in_group = tile.column % columns * tile_n, first_pixel = tile.row * tile_m;
  const Window window = window_of(x, s, group, first_pixel + threadIdx.x % tile_m);
  const Element* const rows = filter + group * s.cog * static_cast<long long>(filter_pitch);

  const auto windows_at = [&](int slot) {
    return reinterpret_cast<Element*>(shared) + slot * (Windows::elements + Filter::elements);
  };
  const auto filter_at = [&](int slot) { return windows_at(slot) + Windows::elements; };
  const int extent_k = s.hf * s.wf * s.cig;
  const auto bring = [&](int slot, int k0) {
    bring_windows(windows_at(slot), x, s, window, k0);
    Filter::bring<true>(filter_at(slot), rows, filter_pitch, o_in_group, k0, s.cog, extent_k);
  };
  TileSums sums;
  multiply_slices(extent_k, bring, [&](int slot) { sums.add<Windows, Filter>(windows_at(slot), filter_at(slot)); });
  float* const staged = reinterpret_cast<float*>(shared);
  sums.stage(staged);
  store_pixels(staged, bias, y, s, group * s.cog + o_in_group, (group + 1) * s.cog,
               [&](int row) { return offset_in_y(s, first_pixel + row); });
}
