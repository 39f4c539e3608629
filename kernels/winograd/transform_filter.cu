// Winograd, beside step 1: U = G g Gᵀ for every filter g; U is a matrix (C_i/G, C_o) for each point.
//
//   w(o, c)                 U(ξ, ν)
//   +-------+               +---+
//   | . . . |    G g Gᵀ     | +---+          neighbouring threads take neighbouring output channels, which are
//   | . . . |   -------->   +-|   | C_i/G    neighbours in U; they read filters that lie far apart, but w is small
//   | . . . |                 +---+
//   +-------+                  C_o
//
// With `inputs_fastest` U is (C_o, C_i/G) instead, and neighbouring threads take neighbouring input channels, which are
// neighbours in w, too.
//
// Source: Lavin & Gray 2016, arXiv 1509.09308.
#include "winograd/winograd.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr bool inputs_fastest = true;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    transform_filter(const Element* __restrict__ w, Element* __restrict__ u, const Sizes s) {
  const long long index = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  const long long filters = static_cast<long long>(s.co) * s.cig;
  if (index >= filters) return;
  const int across = inputs_fastest ? s.cig : s.co;
  const int fast = static_cast<int>(index % across), slow = static_cast<int>(index / across);
  const int o = inputs_fastest ? slow : fast, c = inputs_fastest ? fast : slow;

  const Element* const filter = w + o * static_cast<long long>(s.w_o) + c * static_cast<long long>(s.w_c);
  float g[r_h * r_w], cells[points];
#pragma unroll
  for (int e = 0; e < r_h * r_w; ++e) g[e] = to_float(filter[e / r_w * s.w_h + e % r_w * s.w_w]);
  sandwich<n_h, r_h, n_w, r_w>(g_h, g_h_over, g_w, g_w_over, g, cells);
#pragma unroll
  for (int point = 0; point < points; ++point) u[point * filters + index] = rounded(cells[point]);
}
