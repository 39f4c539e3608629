// The filter as the im2win tensor's windows have it: a matrix of each group, one thread an element.
//
//   F(g, o, v·column + u·C + c) = w(g·C_o/groups + o, c, u, v),   C = C_i/groups
//
//   w(o)                             row o of F
//        v  0   1   2                  v = 0       v = 1       v = 2
//   u=0   │ a │ b │ c │              │ a d g 0 │ b e h 0 │ c f i 0 │ 0 … │      each letter a run of C channels;
//   u=1   │ d │ e │ f │      ──▶     └ column ─┘                                a column is as long as one of Î,
//   u=2   │ g │ h │ i │                                                         and a row is whole slices
//
// with zeros where a column of the im2win tensor has its own, behind the window up to a multiple of a slice, and in the
// rows that fill up the last tile.
//
// Source: Fu, Ma, Zhang, Zhao, Lu & Liu, 2026, arXiv 2608.20725.
#include "common/element.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr int threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    im2win_filter(const Element* __restrict__ w, Element* __restrict__ filter, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const int k = static_cast<int>(index % s.window_pitch), row = static_cast<int>(index / s.window_pitch);
  const int o = row % s.filter_rows, g = row / s.filter_rows;
  if (g >= s.groups) return;
  const int v = k / s.column, u = k % s.column / s.cig, c = k % s.column % s.cig;
  const bool inside = o < s.cog && v < s.wf && u < s.hf;
  filter[index] = inside ? w[(g * s.cog + o) * s.w_o + c * s.w_c + u * s.w_h + v * s.w_w] : rounded(0);
}
