// From registers to y: a thread writes its units of pixels for each of its output channels.
#pragma once

// Where a unit's four pixels are in y, at output channel 0, and how many of them, from the first, there are.
struct Unit {
  int at[4], count;
};

__device__ __forceinline__ int pixel_offset(const Sizes& s, int n, int p, int q) {
  return n * s.y_n + p * s.y_h + q * s.y_w;
}

// Four values that lie together in y in runs of `length`, all of which begin at multiples of it: the widest stores that
// are aligned for every run.
__device__ __forceinline__ void store_four(float* y, const int (&at)[4], const float (&values)[4], int count,
                                           int length) {
  if (vector_io && length % 4 == 0) {
    *reinterpret_cast<float4*>(y + at[0]) = {values[0], values[1], values[2], values[3]};
  } else if (vector_io && length % 2 == 0) {
    *reinterpret_cast<float2*>(y + at[0]) = {values[0], values[1]};
    if (count > 2) *reinterpret_cast<float2*>(y + at[2]) = {values[2], values[3]};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i < count) y[at[i]] = values[i];
  }
}

// The sums begin at the bias. `first` is the tile's first output channel, `end` the end of its group.
__device__ __forceinline__ void start_sums(Sums& sums, const float* bias, const ThreadPlace& place, int first,
                                           int end) {
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    const int o = first + 4 * (place.quad + i / 4 * threads_m) + i % 4;
    const float start = has_bias && o < end ? bias[o] : 0.0f;
#pragma unroll
    for (int j = 0; j < thread_n; ++j) sums[i][j] = start;
  }
}

// `unit_of(k)` is the thread's k-th unit. Its pixels lie together in y, in runs of `run` pixels, where `together`.
template <bool together, class UnitOf>
__device__ __forceinline__ void store_tile(float* y, const Sums& sums, const ThreadPlace& place, int first, int end,
                                           const Sizes& s, int run, UnitOf unit_of) {
#pragma unroll
  for (int k = 0; k < thread_units; ++k) {
    const Unit unit = unit_of(k);
    if (unit.count <= 0) continue;
#pragma unroll
    for (int quad = 0; quad < thread_quads; ++quad) {
      const int o = first + 4 * (place.quad + quad * threads_m);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (y_layout == NHWC) {  // four channels of one pixel lie together
          const int at[4] = {0, 1, 2, 3};
          const float values[4] = {sums[4 * quad][4 * k + i], sums[4 * quad + 1][4 * k + i],
                                   sums[4 * quad + 2][4 * k + i], sums[4 * quad + 3][4 * k + i]};
          if (i < unit.count && o < end) store_four(y + unit.at[i] + o, at, values, end - o, s.cog);
        } else if (o + i < end) {
          const float(&row)[thread_n] = sums[4 * quad + i];
          const float values[4] = {row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]};
          store_four(y + (o + i) * s.y_c, unit.at, values, unit.count, together ? run : 1);
        }
      }
    }
  }
}
