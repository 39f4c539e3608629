// Implicit GEMM on CUDA cores: im2col's product, whose right operand is gathered from x tile by tile.
//
//   y(o, pixel) = bias(o) + Σ_k w(o, k) · A(k, pixel)        k = (c, u, v),  pixel = (n, p, q)
//   A(k, pixel) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)
//
//                        tile_n pixels
//                      ┌───────────────┐          A block multiplies tile_m rows of the filter by tile_n columns of
//                      │ A(k…, pixels) │ stage    im2col's matrix, one stage of k at a time: `stage_taps` taps (u, v)
//            stage     └───────────────┘          of `stage_channels` channels each. The matrix never exists: each
//          ┌────────┐  ┌───────────────┐          pixel knows where its window begins in x, each tap how far from there
//   tile_m │ w(o, k)│  │ y(o, pixels)  │          it reads. A value of x is fetched once for every tap that uses it,
//          └────────┘  └───────────────┘          H_f·W_f times; im2win fetches it H_f times, direct once.
//
// Pixels are counted through rows and images, so that no tile has an idle column but the last. A unit of four is
// (n, p, q) … q + 3 and on into the next row; in CHWN, where images lie together, four images of one pixel.
//
// Source: Chetlur et al. 2014, arXiv 1410.0759.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 64, tile_n = 128, thread_m = 8, thread_n = 8, min_blocks = 4;
constexpr int stage_channels = 8, stage_taps = 1, copy_floats = 1, pitch = 132;
constexpr bool double_buffer = true, vector_io = true, index_precompute = true, checked = false;
constexpr bool packed = true;
#endif
#include "common/fetch.cuh"
#include "common/pipeline.cuh"
#include "common/schedule.h"
#include "common/store_tile.cuh"

// What `multiply` needs to know: every value of k has an operand of its own, which one tap reads.
struct Windows {
  static constexpr int channels = stage_taps * stage_channels, lines = 1, taps = 1, phases = 1, span = 4;
  static __device__ constexpr int k(int c, int, int) { return c; }
  static __device__ constexpr int element(int i, int) { return i; }
  static __device__ constexpr int offset(int c, int, int) { return c * pitch; }
};

// Where a pixel's window begins: in x, and in its image.
struct Cell {
  int offset, row, column;
};

constexpr bool along_n = x_layout == CHWN;

struct Pixel {
  int n, p, q;
};

// Pixel number `index` in the order in which tiles count them; CHWN rounds a row of images up to whole units.
__device__ __forceinline__ Pixel pixel(const Sizes& s, int index) {
  if constexpr (along_n) {
    const int images = (s.n + 3) / 4 * 4, place = index / images;
    return {index % images, place / s.wo, place % s.wo};
  }
  return {index / (s.ho * s.wo), index / s.wo % s.ho, index % s.wo};
}

__device__ __forceinline__ Cell cell(const Sizes& s, int index) {
  // Pixels behind the last read some window or other: their sums aren't stored.
  const auto [n, p, q] = pixel(s, index);
  const int row = min(p, s.ho - 1) * s.stride_h - s.pad_top, column = q * s.stride_w - s.pad_left;
  return {min(n, s.n - copy_floats) * s.x_n + row * s.x_h + column * s.x_w, row, column};
}

// The four pixels from `index` on.
__device__ __forceinline__ Unit unit(const Sizes& s, int index) {
  Unit unit{{}, 0};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const auto [n, p, q] = pixel(s, index + i);
    unit.at[i] = pixel_offset(s, n, p, q);
    unit.count += n < s.n && p < s.ho;
  }
  return unit;
}

extern "C" __global__ void __launch_bounds__(threads, resident_blocks)
    implicit_gemm_cc(const float* __restrict__ x, const float* __restrict__ filter, const float* __restrict__ bias,
                     float* __restrict__ y, const Sizes s) {
  extern __shared__ float4 shared[];
  constexpr int slot_count = double_buffer ? 2 : 1;
  constexpr int filter_floats = Windows::channels * tile_m, operand_floats = Windows::channels * pitch;
  constexpr int tile_cells = tile_n / copy_floats;
  const Slots slots{reinterpret_cast<float*>(shared), reinterpret_cast<float*>(shared) + slot_count * filter_floats,
                    filter_floats, operand_floats};
  Cell* const cells = reinterpret_cast<Cell*>(slots.operand(slot_count));

  const int columns = (s.cog + tile_m - 1) / tile_m;  // tiles of a group's output channels
  const TileIndex tile = tile_of_block(blockIdx.x, columns * s.groups, false);
  const int group = tile.column / columns, first_o = group * s.cog + tile.column % columns * tile_m;
  const int end_o = (group + 1) * s.cog;
  const int first_pixel = tile.row * tile_n;
  const ThreadPlace place = thread_place();

  if constexpr (index_precompute) {
    for (int i = threadIdx.x; i < tile_cells; i += threads) cells[i] = cell(s, first_pixel + i * copy_floats);
    __syncthreads();
  }
  int unit_at[thread_units];
#pragma unroll
  for (int k = 0; k < thread_units; ++k) unit_at[k] = 4 * (place.unit + k * threads_n);

  const int taps = s.hf * s.wf, tap_groups = (taps + stage_taps - 1) / stage_taps;
  const int stage_count = (s.cig + stage_channels - 1) / stage_channels * tap_groups;
  int next = tile.column * stage_count;  // stage of the filter
  int first_tap = 0, c = 0;
  const auto cell_at = [&](int i) { return index_precompute ? cells[i] : cell(s, first_pixel + i * copy_floats); };
  const auto fetch = [&](int slot) {
    copy_filter<stage_taps>(slots.filter(slot), filter, s, next, first_o, end_o - first_o, c, first_tap);
#pragma unroll
    for (int tap = 0; tap < stage_taps; ++tap) {
      const int t = first_tap + tap, down = t / s.wf * s.dilation_h, right = t % s.wf * s.dilation_w;
      const auto inside = [&](const Cell& at) {
        return t < taps && static_cast<unsigned>(at.row + down) < static_cast<unsigned>(s.hi) &&
               static_cast<unsigned>(at.column + right) < static_cast<unsigned>(s.wi);
      };
      ChannelCopy<tile_cells, copy_floats, pitch>::copy(slots.operand(slot) + tap * stage_channels * pitch, x,
                                                        (group * s.cig + c) * s.x_c + down * s.x_h + right * s.x_w,
                                                        s.x_c, s.cig - c, cell_at, inside);
    }
    ++next;
    if ((first_tap += stage_taps) >= taps) first_tap = 0, c += stage_channels;
  };

  Sums sums;
  start_sums(sums, bias, place, first_o, end_o);
  run_pipeline<Windows>(stage_count, slots, place, unit_at, sums, fetch);
  store_tile<y_layout == (along_n ? CHWN : NCHW)>(
      y, sums, place, first_o, end_o, s, along_n ? s.n : s.ho * s.wo, slots.filters,
      [&](int i) { return unit(s, first_pixel + 4 * i); },
      [](int unit, int i) { return along_n ? i * units + unit : 4 * unit + i; });
}
