#include "algorithms/simd/tile.h"

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

HWY_INLINE void StoreRow(Vector left, Vector right, const Tile& t, float* to) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (t.channels == static_cast<std::int64_t>(2 * lanes)) {
    if (t.nontemporal && reinterpret_cast<std::uintptr_t>(to) % (lanes * sizeof(float)) == 0) {
      hn::Stream(left, d, to);
      hn::Stream(right, d, to + lanes);
    } else {
      hn::StoreU(left, d, to);
      hn::StoreU(right, d, to + lanes);
    }
    return;
  }
  HWY_ALIGN float row[kMostWidth];
  hn::Store(left, d, row);
  hn::Store(right, d, row + lanes);
  for (std::int64_t j = 0; j < t.channels; ++j) to[j] = row[j];
}

template <int kTile>
void MultiplyTile(const Tile& t) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  if (t.prefetch)
    for (int i = 0; i < kTile; ++i) {
      __builtin_prefetch(t.to[i] + t.to_offset, 1);
      __builtin_prefetch(t.to[i] + t.to_offset + lanes, 1);
    }

  Vector left[kTile], right[kTile];
  const Vector bias_left = hn::LoadU(d, t.bias), bias_right = hn::LoadU(d, t.bias + lanes);
  for (int i = 0; i < kTile; ++i) left[i] = bias_left, right[i] = bias_right;

  const float* panel = t.panel;
  const float* const* rows = t.rows;
  for (std::int64_t s = 0; s < t.segments; ++s, rows += kTile)
    for (std::int64_t k = 0; k < t.length; ++k, panel += 2 * lanes) {
      const Vector w_left = hn::Load(d, panel), w_right = hn::Load(d, panel + lanes);
      for (int i = 0; i < kTile; ++i) {
        const Vector x = hn::Set(d, rows[i][k]);
        left[i] = hn::MulAdd(x, w_left, left[i]);
        right[i] = hn::MulAdd(x, w_right, right[i]);
      }
    }
  for (int i = 0; i < kTile; ++i) StoreRow(left[i], right[i], t, t.to[i] + t.to_offset);
}

// One function a number of pixels, so that each keeps its accumulators in registers.
template <int... kTiles>
void Dispatch(const Tile& t, std::integer_sequence<int, kTiles...>) {
  using Function = void (*)(const Tile&);
  static constexpr Function kFunctions[] = {MultiplyTile<kTiles + 1>...};
  kFunctions[t.pixels - 1](t);
}

void Multiply(const Tile& t) { Dispatch(t, std::make_integer_sequence<int, kPixels>()); }
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
