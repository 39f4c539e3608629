// Implicit GEMM on Hopper's tensor cores: im2col's product, whose right operand is made tile by tile in shared memory.
//
//   y(o, pixel) = bias(o) + Σ_k w(o, k) · A(k, pixel)        k = (u, v, c),  pixel = (n, p, q)
//   A(k, pixel) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)
//
//   a ring of `slots` slots in shared memory, 64 values of k each
//
//   warps that fetch ──→ [ w: tile_m rows │ A: slot_pixels rows ] [ w │ A ] [ w │ A ] ──→ two warpgroups that multiply
//                    ←─────────────────────── slot is empty again ───────────────────────
//
// The fetching warps run ahead by as many slots as there are, also into the next tile, while sums are stored. A row of
// a slot is 64 values of k, 128 bytes. With `by_tma` one thread asks the copy engine for a tap's pixels: it knows
// convolutions (im2col mode) and walks the windows itself, through rows and images, so that no tile has an idle column
// but the last. Otherwise 256 threads gather them (gather.cuh), whatever the layer looks like.
//
// Output channels are rows of the product and pixels its columns, since the number of columns is free, any multiple of
// 16: the program picks the one that leaves the fewest multiprocessors idle in the last round. With many channels the
// two warpgroups multiply 64 channels each by the same pixels; with few, the same 64 channels by pixels of their own.
//
// Source: Chetlur et al. 2014, arXiv 1410.0759; the division of labour among warps as in NVIDIA's CUTLASS 3.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_n = 192, slots = 3, fetching_threads = 128;
constexpr int unrolled_blocks = 1;  // of k, where threads gather them
constexpr bool split_pixels = true, by_tma = true, padded = false, vector_gather = true, vector_io = true;
constexpr bool jitter = false;
#endif
#include "common/schedule.h"
#include "common/store_rows.cuh"
#include "im2col/gather.cuh"

constexpr int multiplying_threads = 256, warpgroup = 128;
constexpr int tile_m = split_pixels ? 64 : 128, slot_pixels = split_pixels ? 2 * tile_n : tile_n;
constexpr int filter_bytes = tile_m * row_bytes, pixel_bytes = slot_pixels * row_bytes;
constexpr int slot_bytes = filter_bytes + pixel_bytes, staging_bytes = tile_n * row_bytes;  // of a warpgroup

using Input = TensorArgument<by_tma, Element>::Type;

// One tile of y, and the blocks of k that make it.
struct Tile {
  int group, first_o, end_o, first_pixel;

  __device__ Tile(const Sizes& s, int index) {
    const int columns = (s.cog + tile_m - 1) / tile_m;
    const TileIndex at = tile_of_block(index, columns * s.groups, false);
    group = at.column / columns;
    first_o = group * s.cog + at.column % columns * tile_m;
    end_o = (group + 1) * s.cog;
    first_pixel = at.row * slot_pixels;
  }
  static __device__ int count(const Sizes& s) {
    const int pixels = s.n * s.ho * s.wo;
    return (s.cog + tile_m - 1) / tile_m * s.groups * ((pixels + slot_pixels - 1) / slot_pixels);
  }
};

// TMA fetches the channels of one tap after the other, threads all values of k in a row: of each such run the last
// block may be shorter than 64.
struct Run {
  int count, blocks, last_steps;  // runs a tile; blocks a run; steps of 16 in the last of them

  __device__ Run(const Sizes& s) {
    const int taps = s.hf * s.wf, length = by_tma ? s.cig : taps * s.cig;
    count = by_tma ? taps : 1;
    blocks = (length + row_elements - 1) / row_elements;
    last_steps = (length - (blocks - 1) * row_elements + 15) / 16;
  }
  __device__ int steps(int block) const { return block == blocks - 1 ? last_steps : 4; }
};

struct Ring {
  unsigned char* slot_data;
  Barrier *full, *empty;

  __device__ unsigned char* filter(int slot) const { return slot_data + slot * slot_bytes; }
  __device__ unsigned char* pixels(int slot) const { return slot_data + slot * slot_bytes + filter_bytes; }
};

// By the copy engine: one thread asks.
__device__ void fetch(const Ring& ring, const TensorMap& filter, const TensorMap& x, const Sizes& s) {
  if (threadIdx.x != multiplying_threads) return;
  RingPlace<slots> place;
  const Run run(s);
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    const int n = tile.first_pixel / (s.ho * s.wo), p = tile.first_pixel / s.wo % s.ho, q = tile.first_pixel % s.wo;
    for (int u = 0; u < s.hf; ++u)
      for (int v = 0; v < s.wf; ++v)
        for (int block = 0; block < run.blocks; ++block, place.advance()) {
          wait(&ring.empty[place.slot], place.parity ^ 1);
          Barrier* const full = &ring.full[place.slot];
          arrive_expecting(full, slot_bytes);
          copy_box(ring.filter(place.slot), filter, full, block * row_elements, u * s.wf + v, tile.first_o);
          copy_windows(ring.pixels(place.slot), x, full, tile.group * s.cig + block * row_elements,
                       q * s.stride_w - s.pad_left, p * s.stride_h - s.pad_top, n, v * s.dilation_w, u * s.dilation_h);
        }
  }
}

// By threads, pieces first, first + at_once, … of each row; the filter still comes by the copy engine.
template <int first, int at_once>
__device__ __forceinline__ void gather_tiles(const Ring& ring, const TensorMap& filter, const Element* x,
                                             const Sizes& s) {
  const int thread = threadIdx.x - multiplying_threads, row = thread % slot_pixels;
  RingPlace<slots> place;
  const Run run(s);
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    const Window window = window_of(x, s, tile.group, tile.first_pixel + row);
#pragma unroll unrolled_blocks
    for (int block = 0; block < run.blocks; ++block) {
      wait(&ring.empty[place.slot], place.parity ^ 1);
      Barrier* const full = &ring.full[place.slot];
      if (thread == 0) {
        arrive_expecting(full, filter_bytes);
        copy_box(ring.filter(place.slot), filter, full, block * row_elements, 0, tile.first_o);
      }
      const int pieces = 2 * run.steps(block);
#pragma unroll
      for (int piece = first; piece < 8; piece += at_once)
        if (piece < pieces)
          *reinterpret_cast<uint4*>(ring.pixels(place.slot) + swizzled(row, piece)) =
              gather(s, window, block * row_elements + 8 * piece);
      publish_writes();
      arrive(full);
      place.advance();
    }
  }
}

__device__ void fetch(const Ring& ring, const TensorMap& filter, const Element* x, const Sizes& s) {
  static_assert(by_tma || fetching_threads % slot_pixels == 0, "a thread keeps one pixel of a tile");
  constexpr int at_once = by_tma ? 1 : fetching_threads / slot_pixels;                       // pieces of a row
  const int first = __shfl_sync(~0u, (threadIdx.x - multiplying_threads) / slot_pixels, 0);  // of the whole warp
  if (at_once == 1 || first == 0) gather_tiles<0, at_once>(ring, filter, x, s);
  if (at_once >= 2 && first == 1) gather_tiles<1, at_once>(ring, filter, x, s);
  if (at_once >= 4 && first == 2) gather_tiles<2, at_once>(ring, filter, x, s);
  if (at_once >= 4 && first == 3) gather_tiles<3, at_once>(ring, filter, x, s);
}

__device__ void multiply(const Ring& ring, unsigned char* staging, const Element* bias, Element* y, const Sizes& s) {
  const int group = threadIdx.x / warpgroup, thread = threadIdx.x % warpgroup;
  const int filter_part = split_pixels ? 0 : group * 64 * row_bytes;
  const int pixel_part = split_pixels ? group * tile_n * row_bytes : 0;
  staging += group * staging_bytes;
  RingPlace<slots> place;
  const Run run(s);
  for (int index = blockIdx.x; index < Tile::count(s); index += gridDim.x) {
    const Tile tile(s, index);
    float sums[tile_n / 2];
    int before = -1;  // the slot whose products may still be in the making
    for (int r = 0; r < run.count; ++r)
      for (int block = 0; block < run.blocks; ++block, place.advance()) {
        wait(&ring.full[place.slot], place.parity);
        const Descriptor a = describe(shared_address(ring.filter(place.slot)) + filter_part);
        const Descriptor b = describe(shared_address(ring.pixels(place.slot)) + pixel_part);
        const int steps = run.steps(block);
        begin_products();
#pragma unroll
        for (int step = 0; step < 4; ++step)
          if (step < steps)
            Product<tile_n>::add_up(sums, moved(a, 32 * step), moved(b, 32 * step), before >= 0 || step);
        close_products();
        wait_for_products<1>();
        if (before >= 0 && thread == 0) arrive(&ring.empty[before]);
        before = place.slot;
      }
    wait_for_products<0>();
    if (thread == 0) arrive(&ring.empty[before]);

    const int first_o = tile.first_o + (split_pixels ? 0 : group * 64);
    const int first_pixel = tile.first_pixel + (split_pixels ? group * tile_n : 0);
    float biases[2] = {0, 0};
    if constexpr (has_bias)
      for (int r = 0; r < 2; ++r)
        if (const int o = first_o + thread / 32 * 16 + thread % 32 / 4 + 8 * r; o < tile.end_o)
          biases[r] = to_float(bias[o]);
    sync_threads(1 + group, warpgroup);  // the last tile is stored
    stage_channels_by_pixels<tile_n>(sums, biases, shared_address(staging));
    sync_threads(1 + group, warpgroup);
    store_rows<tile_n, warpgroup>(y, staging, thread, first_o, tile.end_o, s,
                                  [&](int row) { return offset_in_y(s, first_pixel + row); });
  }
}

extern "C" __global__ void __launch_bounds__(multiplying_threads + fetching_threads, 1)
    implicit_gemm_tc(const __grid_constant__ TensorMap filter, const __grid_constant__ Input x,
                     const Element* __restrict__ bias, Element* __restrict__ y, const Sizes s) {
  extern __shared__ unsigned char shared[];
  unsigned char* const data = shared + (-shared_address(shared) & 1023);  // swizzled tiles begin at multiples of 1024
  unsigned char* const staging = data + slots * slot_bytes;
  Barrier* const barriers = reinterpret_cast<Barrier*>(staging + 2 * staging_bytes);
  const Ring ring{data, barriers, barriers + slots};

  if (threadIdx.x == 0) {
    for (int slot = 0; slot < slots; ++slot) {
      init_barrier(&ring.full[slot], by_tma ? 1 : 1 + fetching_threads);
      init_barrier(&ring.empty[slot], multiplying_threads / warpgroup);
    }
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x < multiplying_threads)
    multiply(ring, staging, bias, y, s);
  else
    fetch(ring, filter, x, s);
}
