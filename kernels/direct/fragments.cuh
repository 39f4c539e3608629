// The left operand of direct_tc.cu and direct_mma.cu, read from the patch where it lies: a warp's 16 pixels × 16 values
// of k, in the registers in which mma.sync takes them, and wgmma from each of its four warps. A tap is a number that is
// added to every pixel's place: nothing is lowered, neither in memory nor in shared memory.
#pragma once

#include "common/mma.cuh"
#include "direct/staged_patch.cuh"

// Channels in pieces of eight: ldmatrix brings 16 pixels × 16 channels to a warp, each lane naming the place of one
// pixel's piece. Lanes 0–15 name channels 0–7 of the pixels, lanes 16–31 channels 8–15.
struct Pieces {
  int position;

  // Of the warp's 16 pixels, `first` and on.
  __device__ explicit Pieces(int first) : position(Pixel(first + threadIdx.x % 16).position()) {}

  // Channels 16·step … 16·step + 15 of tap number `tap` of the patch.
  __device__ void load(unsigned (&a)[4], const unsigned char* patch, const unsigned short*, int tap, int step) const {
    const int right = tap % taps_across * dilation_across, down = tap / taps_across * dilation_down;
    const int row = position + down * patch_columns + right, piece = 2 * step + threadIdx.x % 32 / 16;
    load_blocks<false>(a, reinterpret_cast<const Element*>(patch + swizzled(row, piece)));
  }
};

// Few channels: k = (u, v, c) in one row, each value loaded for itself. What lies how far from a pixel's first element
// is looked up in a table, four values of k at a time: those of a thread, 16·step + 8h + 2·(t mod 4) + e.
struct Elements {
  int offset[2];  // of the thread's two pixels, in elements

  __device__ explicit Elements(int first) {
    for (int r = 0; r < 2; ++r) offset[r] = Pixel(first + threadIdx.x % 32 / 4 + 8 * r).position() * few_channels;
  }

  static constexpr int reduction = taps_down * taps_across * few_channels, steps = (reduction + 31) / 32 * 2;
  static constexpr int table_bytes = by_elements ? steps * 32 : 0;

  static __device__ void fill_table(unsigned short* table) {
    for (int i = threadIdx.x; i < steps * 16; i += blockDim.x) {
      const int k = i / 16 * 16 + i % 4 / 2 * 8 + i / 4 % 4 * 2 + i % 2, tap = k / few_channels;
      const int position = tap / taps_across * dilation_down * patch_columns + tap % taps_across * dilation_across;
      table[i] = k < reduction ? position * few_channels + k % few_channels : 0;
    }
  }

  // Values 64·block + 16·step … + 15 of k.
  __device__ void load(unsigned (&a)[4], const unsigned char* patch, const unsigned short* table, int block,
                       int step_of_block) const {
    const auto* const elements = reinterpret_cast<const unsigned short*>(patch);
    const int step = 4 * block + step_of_block;
    const ushort4 at = reinterpret_cast<const ushort4*>(table)[step * 4 + threadIdx.x % 4];
    const unsigned places[4] = {at.x, at.y, at.z, at.w};
    unsigned values[2][4];
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int i = 0; i < 4; ++i) values[r][i] = elements[offset[r] + places[i]];
    if (16 * (step + 1) > reduction)  // what is no product is zero
      for (int r = 0; r < 2; ++r)
        for (int i = 0; i < 4; ++i)
          if (16 * step + i / 2 * 8 + threadIdx.x % 4 * 2 + i % 2 >= reduction) values[r][i] = 0;
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int h = 0; h < 2; ++h) a[r + 2 * h] = values[r][2 * h] | values[r][2 * h + 1] << 16;
  }
};

template <bool>
struct FragmentsOf {
  using Type = Pieces;
};
template <>
struct FragmentsOf<true> {
  using Type = Elements;
};
