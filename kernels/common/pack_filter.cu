// The filter, packed in the order in which the tiled kernels read it.
//
//   packed[g, b][block of channels][group of taps][tap][c][m] = w(o = g·C_o/G + b·tile_m + m, c, u, v),   t = u·W_f + v
//
//   w(o)  ┌ c=0 ┐ ┌ c=1 ┐ …         packed, stage after stage
//         │ u v │ │ u v │          ┌ tap 0 ───────────────┬ tap 1 ──────────────┬ …
//         └─────┘ └─────┘          │ c=0: m = 0 … tile_m−1│ c=0: m = 0 …        │    a block copies a stage as one
//    C_o of them, far apart   ──▶  │ c=1: m = 0 …         │ c=1: m = 0 …        │    run, and a thread loads
//                                  └──────────────────────┴─────────────────────┴ …  neighbouring m as a vector
//
// with `stage_channels` channels in a block and `stage_taps` taps in a group: together one stage of the kernels. What
// is beyond a group's output channels, input channels or taps is zero: such a y isn't stored, and such an x is read as
// zero too.
#include "common/default_layer.h"
#ifndef CONVLENS_CONFIGURED
constexpr int tile_m = 64, stage_channels = 8, stage_taps = 3, threads = 256;
#endif

extern "C" __global__ void __launch_bounds__(threads)
    pack_filter(const float* __restrict__ w, float* __restrict__ packed, const Sizes s) {
  const int index = blockIdx.x * threads + threadIdx.x;
  int rest = index;
  const auto digit = [&rest](int base) {
    const int value = rest % base;
    rest /= base;
    return value;
  };
  const int m = digit(tile_m), row = digit(stage_channels), tap = digit(stage_taps);
  const int t = digit((s.hf * s.wf + stage_taps - 1) / stage_taps) * stage_taps + tap;
  const int c = digit((s.cig + stage_channels - 1) / stage_channels) * stage_channels + row;
  const int within = digit((s.cog + tile_m - 1) / tile_m) * tile_m + m, g = rest;
  if (g >= s.groups) return;
  const bool inside = within < s.cog && c < s.cig && t < s.hf * s.wf;
  const int o = g * s.cog + within, u = t / s.wf, v = t % s.wf;
  packed[index] = inside ? w[o * s.w_o + c * s.w_c + u * s.w_h + v * s.w_w] : 0.0f;
}
