// Direct convolution on Hopper's tensor cores: the patch of x under a tile of y is staged once, and every tap
// multiplies it where it lies.
//
//   y(n, o, p, q) = bias(o) + Σ_{u, v} Σ_c x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u, v)
//
//     x, 64 channels                        for each tap (u, v):     D(pixel, o) += X(pixel + (u, v), c) · w(o, c)
//   ┌─────────────────────┐
//   │   ┌─────────────┐   │                 X: 64 pixels × 16 channels at a time, read from the patch into registers,
//   │   │ ┌───┐       │   │                    whose addresses are the pixels' plus the tap's (fragments.cuh)
//   │   │ │tap│ patch │   │                 w: a ring of slots, tile_n output channels × 64 channels of a tap each
//   │   │ └───┘       │   │
//   │   └─────────────┘   │                 A value of x is fetched once a tile, where implicit GEMM fetches it H_f·W_f
//   └─────────────────────┘                 times. What it pays: tiles are rectangles, which stick out of the image.
//
// Two warpgroups multiply, each m_tiles × 64 pixels of the tile by all its tile_n output channels. Other warps fetch
// ahead: one the filter, by the copy engine (TMA), the others patches, by the copy engine or, in any layout, by
// themselves. With few channels a patch holds all of them unpadded, and all taps are one row of k (`by_elements`).
//
// Source: the definition.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_n = 64, m_tiles = 2, patch_slots = 2, filter_slots = 4, fetching_threads = 128;
constexpr int few_channels = 1;  // C_i/groups, where `by_elements`
constexpr int tile_images = 1, tile_rows = 14, tile_columns = 18, taps_down = 3, taps_across = 3;
constexpr int stride_down = 1, stride_across = 1, dilation_down = 1, dilation_across = 1;
constexpr bool by_elements = false, single_group = true, whole_windows = true, by_tma = true, vector_fetch = true,
               vector_io = true;
constexpr bool jitter = false;
#endif
#include "common/store_rows.cuh"
#include "direct/tile_of_pixels.cuh"

constexpr int multiplying_threads = 256, warpgroup = 128;
constexpr int filter_thread = fetching_threads - 32, patch_threads = by_tma ? 1 : filter_thread;
constexpr int filter_bytes = tile_n * row_bytes, staging_bytes = 16 * row_bytes;  // of a warp

struct Rings {
  unsigned char *patches, *filters;
  Barrier *patch_full, *patch_empty, *filter_full, *filter_empty;
};

using Input = TensorArgument<by_tma, Element>::Type;

// A patch by the copy engine, which one thread asks, or by all threads that fetch patches.
__device__ void fetch_patch(unsigned char* patch, Barrier* full, const TensorMap& x, const Sizes&,
                            const PatchOrigin& from, int) {
  arrive_expecting(full, patch_positions * row_bytes);
  copy_box(patch, x, full, from.c, from.column, from.row, from.n);
}
__device__ void fetch_patch(unsigned char* patch, Barrier* full, const Element* x, const Sizes& s,
                            const PatchOrigin& from, int thread) {
  fetch_by_threads<patch_threads>(patch, x, s, from, thread);
  arrive(full);
}

__device__ void fetch_patches(const Rings& rings, const Input& x, const Sizes& s, int thread) {
  RingPlace<patch_slots> place;
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    for (int k = 0; k < PatchOfK::count(s); ++k, place.advance()) {
      const PatchOrigin from = patch_origin(s, tile, PatchOfK(k));
      wait(&rings.patch_empty[place.slot], place.parity ^ 1);
      fetch_patch(rings.patches + place.slot * patch_bytes, &rings.patch_full[place.slot], x, s, from, thread);
    }
  }
}

__device__ void fetch_filters(const Rings& rings, const TensorMap& filter, const Sizes& s) {
  RingPlace<filter_slots> place;
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    for (int k = 0; k < PatchOfK::count(s); ++k)
      for (int block = 0; block < blocks_a_patch; ++block, place.advance()) {
        const PatchOfK of(k);
        const int first_k = by_elements ? block * row_elements : of.c;
        const int tap = by_elements ? 0 : of.u * taps_across + block;
        wait(&rings.filter_empty[place.slot], place.parity ^ 1);
        arrive_expecting(&rings.filter_full[place.slot], filter_bytes);
        copy_box(rings.filters + place.slot * filter_bytes, filter, &rings.filter_full[place.slot], first_k, tap,
                 tile.first_o);
      }
  }
}

// The sums of 64 pixels: 16 of each warp, 64 channels at a time through its own corner of shared memory.
__device__ __forceinline__ void store(Element* y, const float (&sums)[tile_n / 2], const Element* bias,
                                      unsigned char* staging, const Tile& tile, int first_pixel, const Sizes& s) {
  const auto offset = [&](int row) { return tile.offset_in_y(s, first_pixel + row); };
#pragma unroll
  for (int first = 0; first < tile_n; first += row_elements) {
    __syncwarp();  // what was staged before is stored
    stage_pixels_by_channels<tile_n>(sums, first, bias, tile.first_o, tile.end_o, shared_address(staging));
    __syncwarp();
    store_rows<16, 32>(y, staging, threadIdx.x % 32, tile.first_o + first, min(tile.first_o + first + 64, tile.end_o),
                       s, offset);
  }
}

__device__ void multiply(const Rings& rings, const unsigned short* table, unsigned char* staging, const Element* bias,
                         Element* y, const Sizes& s) {
  using Fragments = FragmentsOf<by_elements>::Type;
  const int group = threadIdx.x / warpgroup, warp = threadIdx.x / 32;
  const int first_pixel = group * m_tiles * 64 + warp % 4 * 16;
  const Fragments fragments[2] = {Fragments(first_pixel), Fragments(first_pixel + (m_tiles - 1) * 64)};
  RingPlace<patch_slots> patch;
  RingPlace<filter_slots> place;
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    float sums[m_tiles][tile_n / 2];
    unsigned a[2][m_tiles][4];  // one is multiplied while the other is loaded
    int before = -1;            // the slot of the filter whose products may still be in the making
    for (int k = 0; k < PatchOfK::count(s); ++k, patch.advance()) {
      const PatchOfK of(k);
      wait(&rings.patch_full[patch.slot], patch.parity);
      for (int block = 0; block < blocks_a_patch; ++block, place.advance()) {
        wait(&rings.filter_full[place.slot], place.parity);
        const Descriptor b = describe(shared_address(rings.filters + place.slot * filter_bytes));
        const int steps = of.steps(s, block);
#pragma unroll
        for (int step = 0; step < 4; ++step) {
          if (step >= steps) break;
#pragma unroll
          for (int m = 0; m < m_tiles; ++m)
            fragments[m].load(a[step % 2][m], rings.patches + patch.slot * patch_bytes, table, block, step);
          begin_products();
#pragma unroll
          for (int m = 0; m < m_tiles; ++m)
            Product<tile_n>::add_up(sums[m], a[step % 2][m], moved(b, 32 * step), before >= 0 || step);
          close_products();
          wait_for_products<1>();
          if (step == 0 && before >= 0 && threadIdx.x % warpgroup == 0) arrive(&rings.filter_empty[before]);
        }
        before = place.slot;
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&rings.patch_empty[patch.slot]);
    }
    wait_for_products<0>();
    if (threadIdx.x % warpgroup == 0) arrive(&rings.filter_empty[before]);
#pragma unroll
    for (int m = 0; m < m_tiles; ++m)
      store(y, sums[m], bias, staging + warp * staging_bytes, tile, first_pixel + m * 64, s);
  }
}

extern "C" __global__ void __launch_bounds__(multiplying_threads + fetching_threads, 1)
    direct_tc(const __grid_constant__ TensorMap filter, const __grid_constant__ Input x,
              const Element* __restrict__ bias, Element* __restrict__ y, const Sizes s) {
  extern __shared__ unsigned char shared[];
  unsigned char* const data = shared + (-shared_address(shared) & 1023);  // swizzled tiles begin at multiples of 1024
  unsigned char* const filters = data + patch_slots * patch_bytes;
  unsigned char* const staging = filters + filter_slots * filter_bytes;
  auto* const table = reinterpret_cast<unsigned short*>(staging + multiplying_threads / 32 * staging_bytes);
  auto* const barriers = reinterpret_cast<Barrier*>(reinterpret_cast<unsigned char*>(table) + Elements::table_bytes);
  const Rings rings{data,
                    filters,
                    barriers,
                    barriers + patch_slots,
                    barriers + 2 * patch_slots,
                    barriers + 2 * patch_slots + filter_slots};

  if constexpr (by_elements) Elements::fill_table(table);
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < patch_slots; ++slot) {
      init_barrier(&rings.patch_full[slot], by_tma ? 1 : patch_threads);
      init_barrier(&rings.patch_empty[slot], multiplying_threads / 32);
    }
    for (int slot = 0; slot < filter_slots; ++slot) {
      init_barrier(&rings.filter_full[slot], 1);
      init_barrier(&rings.filter_empty[slot], multiplying_threads / warpgroup);
    }
    publish_barriers();
  }
  __syncthreads();
  const int fetcher = threadIdx.x - multiplying_threads;
  if (fetcher < 0)
    multiply(rings, table, staging, bias, y, s);
  else if (fetcher < patch_threads)
    fetch_patches(rings, x, s, fetcher);
  else if (fetcher == filter_thread)
    fetch_filters(rings, filter, s);
}
