// The micro-kernel of depthwise layers (tile.h), compiled once an instruction set as tile.cpp is.
#include <utility>

#include "algorithms/simd/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/simd/depthwise.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convlens::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

HWY_INLINE void StoreVector(Vector sum, bool nontemporal, float* to) {
  const Lanes d;
  if (nontemporal && reinterpret_cast<std::uintptr_t>(to) % (hn::Lanes(d) * sizeof(float)) == 0)
    hn::Stream(sum, d, to);
  else
    hn::StoreU(sum, d, to);
}

// The pixels of a tile are those of tile.cpp: as many accumulators, one or two vectors of the panel, and x read from
// memory.
template <int kTile, bool kTwo, bool kPacked>
void WholeVectors(const Tile& t, std::int64_t from) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (t.prefetch)
    for (int i = 0; i < kTile; ++i) {
      __builtin_prefetch(t.to[i] + t.to_offset, 1);
      if (kTwo) __builtin_prefetch(t.to[i] + t.to_offset + lanes, 1);
    }

  Vector left[kTile], right[kTile];
  const Vector bias_left = hn::LoadU(d, t.bias), bias_right = hn::LoadU(d, t.bias + lanes);
  for (int i = 0; i < kTile; ++i) left[i] = bias_left, right[i] = bias_right;

  HWY_ALIGN float apart[kMostWidth] = {};  // the values of one tap, when they are not packed
  const float* panel = t.panel;
  const float* const* rows = t.rows;
  for (std::int64_t s = 0; s < t.segments; ++s, rows += kTile, panel += 2 * lanes) {
    if constexpr (!kPacked) {
      for (std::int64_t j = 0; j < t.channels; ++j) apart[j] = t.filter(s, j);
      panel = apart;
    }
    const Vector w_left = hn::Load(d, panel), w_right = hn::Load(d, panel + lanes);
    for (int i = 0; i < kTile; ++i) {
      left[i] = hn::MulAdd(hn::LoadU(d, rows[i] + from), w_left, left[i]);
      if (kTwo) right[i] = hn::MulAdd(hn::LoadU(d, rows[i] + from + lanes), w_right, right[i]);
    }
  }
#pragma GCC unroll 16  // a loop over the accumulators would keep them in memory
  for (int i = 0; i < kTile; ++i) {
    StoreVector(left[i], t.nontemporal, t.to[i] + t.to_offset);
    if (kTwo) StoreVector(right[i], t.nontemporal, t.to[i] + t.to_offset + lanes);
  }
}

// One function a number of pixels, so that each keeps its accumulators in registers.
template <bool kTwo, bool kPacked, int... kTiles>
void Dispatch(const Tile& t, std::int64_t from, std::integer_sequence<int, kTiles...>) {
  using Function = void (*)(const Tile&, std::int64_t);
  static constexpr Function kFunctions[] = {WholeVectors<kTiles + 1, kTwo, kPacked>...};
  kFunctions[t.pixels - 1](t, from);
}

template <bool kPacked>
void MultiplyChannels(const Tile& t, std::int64_t from) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(Lanes())), whole = t.channels / lanes;
  constexpr std::make_integer_sequence<int, kMostPixels> kTiles;
  if (whole == 2) Dispatch<true, kPacked>(t, from, kTiles);
  if (whole == 1) Dispatch<false, kPacked>(t, from, kTiles);
  // Channels that fill no vector: what lies behind them in x may not be there.
  for (std::int64_t i = 0; i < t.pixels; ++i)
    for (std::int64_t j = whole * lanes; j < t.channels; ++j) {
      float sum = t.bias[j];
      for (std::int64_t s = 0; s < t.segments; ++s)
        sum += t.rows[s * t.pixels + i][from + j] * (kPacked ? t.panel[s * 2 * lanes + j] : t.filter(s, j));
      t.to[i][t.to_offset + j] = sum;
    }
}

void MultiplyDepthwise(const Tile& t, std::int64_t from) {
  t.panel != nullptr ? MultiplyChannels<true>(t, from) : MultiplyChannels<false>(t, from);
}

}  // namespace convlens::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convlens::simd {

HWY_EXPORT(MultiplyDepthwise);

void multiply_depthwise(const Tile& tile, std::int64_t from) { HWY_DYNAMIC_DISPATCH(MultiplyDepthwise)(tile, from); }

}  // namespace convlens::simd
#endif
