// The register tile: what one thread computes, and how the threads of a block share out a tile of y.
//
//                 tile_n pixels, in units of four
//              ┌──────┬──────┬──────┬──────┐       A tile is tile_m output channels × tile_n pixels. A thread keeps
//   tile_m     │ t0   │ t1   │ t0   │ t1   │       thread_m × thread_n of it in registers: quads of channels that lie
//   channels,  ├──────┼──────┼──────┼──────┤       tile_m/(thread_m/4) apart, and units of pixels likewise, so that
//   in quads   │ t2   │ t3   │ t2   │ t3   │       the 16-byte loads of neighbouring lanes hit neighbouring banks of
//              ├──────┼──────┼──────┼──────┤       shared memory.
//              │ t0   │ t1   │ t0   │ t1   │
//              ├──────┼──────┼──────┼──────┤       Per value of k: thread_m + thread_n values loaded from shared
//              │ t2   │ t3   │ t2   │ t3   │       memory, thread_m · thread_n multiply-adds.
//              └──────┴──────┴──────┴──────┘
#pragma once

constexpr int quads = tile_m / 4, units = tile_n / 4;
constexpr int thread_quads = thread_m / 4, thread_units = thread_n / 4;
constexpr int threads_m = tile_m / thread_m, threads_n = tile_n / thread_n, threads = threads_m * threads_n;
static_assert(thread_m % 4 == 0 && thread_n % 4 == 0, "a thread loads four values at a time");
static_assert(tile_m % thread_m == 0 && tile_n % thread_n == 0, "threads tile the block's tile");

// Blocks that share a multiprocessor's registers. Tuned, and free of spills, on Hopper; elsewhere the compiler is given
// the room of one warp more on each of the four schedulers, between whose warps registers are divided.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
constexpr int fewer_blocks = (min_blocks * threads / 128 - 1) * 128 / threads;
constexpr int resident_blocks = fewer_blocks > 1 ? fewer_blocks : 1;
#else
constexpr int resident_blocks = min_blocks;
#endif

using Sums = float[thread_m][thread_n];

// A thread's first quad and first unit. A warp is 4 quads high and 8 units wide: of all shapes the one whose operands
// are the fewest different values, and within eight lanes, which load together, 2 quads and 4 units.
struct ThreadPlace {
  int quad, unit;
};
__device__ __forceinline__ ThreadPlace thread_place() {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if constexpr (threads_m % 4 == 0 && threads_n % 8 == 0) {
    const int across = threads_n / 8;
    return {warp / across * 4 + lane / 16 * 2 + lane % 2, warp % across * 8 + lane / 2 % 8};
  } else {
    return {static_cast<int>(threadIdx.x) % threads_m, static_cast<int>(threadIdx.x) / threads_m};
  }
}

// Four neighbouring floats of shared memory: one 16-byte load, or four loads.
__device__ __forceinline__ void load_four(float* to, const float* from) {
  if constexpr (vector_io) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else {
    for (int i = 0; i < 4; ++i) to[i] = from[i];
  }
}

// As many channels as make a loop body of at most sixteen values of k, and divide the stage.
__device__ constexpr int channels_unrolled(int channels, int values) {
  int unrolled = 1;
  for (int count = 2; count <= channels && count * values <= 16; ++count)
    if (channels % count == 0) unrolled = count;
  return unrolled;
}

// sums += filter · windows for one stage of k. `Window` says where a tap's operand is:
//
//   channels, lines, taps     the stage's channels, the filter rows of each, the taps of each row that share a window
//   k(c, line, tap)           which of the stage's values of k that is, a row of the packed filter
//   phases, span              parts of a window that are loaded one after the other, and the floats of each; part
//                             tap mod phases is the tap's
//   element(i, tap)           which float of it is the tap's for pixel i of the unit
//   offset(c, line, phase)    where the part begins in the stage's operand, for a unit at 0
//
// A window is loaded once and serves all its taps.
template <class Window>
__device__ __forceinline__ void multiply(const float* filter, const float* operand, const ThreadPlace& place,
                                         const int (&unit_at)[thread_units], Sums& sums) {
  constexpr int unrolled = channels_unrolled(Window::channels, Window::lines * Window::taps);
#pragma unroll unrolled
  for (int c = 0; c < Window::channels; ++c)
#pragma unroll
    for (int part = 0; part < Window::lines * Window::phases; ++part) {
      const int line = part / Window::phases, phase = part % Window::phases;
      float window[thread_units][(Window::span + 3) / 4 * 4];
#pragma unroll
      for (int unit = 0; unit < thread_units; ++unit)
#pragma unroll
        for (int i = 0; i < Window::span; i += 4)
          load_four(&window[unit][i], operand + Window::offset(c, line, phase) + unit_at[unit] + i);
#pragma unroll
      for (int tap = phase; tap < Window::taps; tap += Window::phases) {
        float weights[thread_m];
#pragma unroll
        for (int quad = 0; quad < thread_quads; ++quad)
          load_four(&weights[4 * quad],
                    filter + Window::k(c, line, tap) * tile_m + 4 * (place.quad + quad * threads_m));
          // To and fro: the operand at a turn is the one before, and the compiler finds more that the register file's
          // reuse cache still holds.
#pragma unroll
        for (int j = 0; j < thread_n; ++j)
#pragma unroll
          for (int k = 0; k < thread_m; ++k) {
            const int i = j % 2 == 0 ? k : thread_m - 1 - k;
            sums[i][j] += weights[i] * window[j / 4][Window::element(j % 4, tap)];
          }
      }
    }
}
