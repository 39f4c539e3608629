#include "algorithms/simd/tile.h"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/simd/tile.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convlens::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

// 28 accumulators, two panel vectors and one broadcast fill 32 registers; 12, 2 and 1 fill 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kPixels = kMostPixels;
#else
constexpr int kPixels = 6;
#endif

HWY_INLINE void StoreRow(Vector left, Vector right, bool nontemporal, float* to) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (nontemporal && reinterpret_cast<std::uintptr_t>(to) % (lanes * sizeof(float)) == 0) {
    hn::Stream(left, d, to);
    hn::Stream(right, d, to + lanes);
  } else {
    hn::StoreU(left, d, to);
    hn::StoreU(right, d, to + lanes);
  }
}

HWY_INLINE void AddRow(const Tile& t, const float* from, Vector& left, Vector& right) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (t.channels == static_cast<std::int64_t>(2 * lanes)) {
    left = hn::Add(left, hn::LoadU(d, from));
    right = hn::Add(right, hn::LoadU(d, from + lanes));
    return;
  }
  HWY_ALIGN float row[kMostWidth] = {};
  for (std::int64_t j = 0; j < t.channels; ++j) row[j] = from[j];
  left = hn::Add(left, hn::Load(d, row));
  right = hn::Add(right, hn::Load(d, row + lanes));
}

template <int kTile, bool kPacked>
void MultiplyTile(const Tile& t) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (t.prefetch)
    for (int i = 0; i < kTile; ++i) {
      __builtin_prefetch(t.to[i] + t.to_offset, 1);
      __builtin_prefetch(t.to[i] + t.to_offset + lanes, 1);
    }

  Vector left[kTile], right[kTile];
  const Vector first_left = t.add ? hn::Zero(d) : hn::LoadU(d, t.bias);
  const Vector first_right = t.add ? hn::Zero(d) : hn::LoadU(d, t.bias + lanes);
  for (int i = 0; i < kTile; ++i) left[i] = first_left, right[i] = first_right;

  HWY_ALIGN float apart[kMostWidth] = {};  // the values of one k, when they are not packed
  const float* panel = t.panel;
  std::int64_t at = 0;
  const float* const* rows = t.rows;
  for (std::int64_t s = 0; s < t.segments; ++s, rows += kTile)
    for (std::int64_t k = 0; k < t.length; ++k, ++at, panel += 2 * lanes) {
      if constexpr (!kPacked) {
        for (std::int64_t j = 0; j < t.channels; ++j) apart[j] = t.filter(at, j);
        panel = apart;
      }
      const Vector w_left = hn::Load(d, panel), w_right = hn::Load(d, panel + lanes);
      for (int i = 0; i < kTile; ++i) {
        const Vector x = hn::Set(d, rows[i][k]);
        left[i] = hn::MulAdd(x, w_left, left[i]);
        right[i] = hn::MulAdd(x, w_right, right[i]);
      }
    }
  // Loops over the accumulators are unrolled: one that is not would keep them in memory.
  if (t.add)
#pragma GCC unroll 16
    for (int i = 0; i < kTile; ++i) AddRow(t, t.to[i] + t.to_offset, left[i], right[i]);
  if (t.channels == static_cast<std::int64_t>(2 * lanes)) {
#pragma GCC unroll 16
    for (int i = 0; i < kTile; ++i) StoreRow(left[i], right[i], t.nontemporal, t.to[i] + t.to_offset);
    return;
  }
  HWY_ALIGN float sums[kTile * kMostWidth];
#pragma GCC unroll 16
  for (int i = 0; i < kTile; ++i) StoreRow(left[i], right[i], false, sums + i * kMostWidth);
  for (int i = 0; i < kTile; ++i) std::copy_n(sums + i * kMostWidth, t.channels, t.to[i] + t.to_offset);
}

// One function a number of pixels, so that each keeps its accumulators in registers.
template <bool kPacked, int... kTiles>
void Dispatch(const Tile& t, std::integer_sequence<int, kTiles...>) {
  using Function = void (*)(const Tile&);
  static constexpr Function kFunctions[] = {MultiplyTile<kTiles + 1, kPacked>...};
  kFunctions[t.pixels - 1](t);
}

void Multiply(const Tile& t) {
  constexpr std::make_integer_sequence<int, kPixels> kTiles;
  t.panel != nullptr ? Dispatch<true>(t, kTiles) : Dispatch<false>(t, kTiles);
}
int TilePixels() { return kPixels; }
int TileWidth() { return static_cast<int>(2 * hn::Lanes(Lanes())); }
const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace convlens::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convlens::simd {

HWY_EXPORT(Multiply);
HWY_EXPORT(TilePixels);
HWY_EXPORT(TileWidth);
HWY_EXPORT(Name);

void multiply(const Tile& tile) { HWY_DYNAMIC_DISPATCH(Multiply)(tile); }
int tile_pixels() { return HWY_DYNAMIC_DISPATCH(TilePixels)(); }
int tile_width() { return HWY_DYNAMIC_DISPATCH(TileWidth)(); }
std::string instruction_set() { return HWY_DYNAMIC_DISPATCH(Name)(); }

}  // namespace convlens::simd
#endif
