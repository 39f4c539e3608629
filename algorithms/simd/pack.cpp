// Packing rows of a panel: a transposition, filters × values to values × filters, four by four in registers, compiled
// once an instruction set as tile.cpp is.
#include <cstddef>

#include "algorithms/simd/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/simd/pack.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convlens::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Values of k whose rows are written together: whole cache lines of each filter are read, and the rows stay in L1.
constexpr std::size_t kChunk = 64;

// One value, or the first of four that lie together in each filter, and the rows of the panel that they go to.
struct Single {
  std::int64_t offset;
  float* row;
};
struct Quad {
  std::int64_t offset;
  float* rows[4];
};
struct Chunk {
  Quad quads[kChunk / 4];
  Single singles[kChunk];
  std::size_t quad_count = 0, single_count = 0;

  Chunk(const PackedRows& rows, std::span<const FilterValue> values) {
    const auto row = [&](std::size_t i) { return rows.to + (values[i].k - rows.first_k) * rows.width; };
    const auto follows = [&](std::size_t i, int by) { return values[i + by].offset == values[i].offset + by; };
    for (std::size_t i = 0; i < values.size();)
      if (i + 4 <= values.size() && follows(i, 1) && follows(i, 2) && follows(i, 3)) {
        quads[quad_count++] = {values[i].offset, {row(i), row(i + 1), row(i + 2), row(i + 3)}};
        i += 4;
      } else {
        singles[single_count++] = {values[i].offset, row(i)};
        ++i;
      }
  }
};

// quad.rows[i][j + jj] = filter[jj·step + quad.offset + i], i and jj < 4.
HWY_INLINE void Transpose(const Quad& quad, const float* filter, std::int64_t step, std::int64_t j) {
  const float* const from = filter + quad.offset;
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 4; ++i)
    for (int jj = 0; jj < 4; ++jj) quad.rows[i][j + jj] = from[jj * step + i];
#else
  const hn::FixedTag<float, 4> four;
  const hn::Repartition<std::uint64_t, decltype(four)> pairs;
  const auto a = hn::LoadU(four, from), b = hn::LoadU(four, from + step);
  const auto c = hn::LoadU(four, from + 2 * step), d = hn::LoadU(four, from + 3 * step);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(four, a, b));  // a0 b0 a1 b1
  const auto cd_low = hn::BitCast(pairs, hn::InterleaveLower(four, c, d));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(four, a, b));  // a2 b2 a3 b3
  const auto cd_high = hn::BitCast(pairs, hn::InterleaveUpper(four, c, d));
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(pairs, ab_low, cd_low)), four, quad.rows[0] + j);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(pairs, ab_low, cd_low)), four, quad.rows[1] + j);
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(pairs, ab_high, cd_high)), four, quad.rows[2] + j);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(pairs, ab_high, cd_high)), four, quad.rows[3] + j);
#endif
}

void PackChunk(const PackedRows& rows, const Chunk& chunk) {
  std::int64_t j = 0;
  for (; j + 4 <= rows.channels; j += 4) {
    const float* const filter = rows.filters + j * rows.step;
    for (std::size_t q = 0; q < chunk.quad_count; ++q) Transpose(chunk.quads[q], filter, rows.step, j);
  }
  const std::int64_t transposed = j;
  for (j = 0; j < rows.width; ++j) {
    const bool exists = j < rows.channels;
    const float* const filter = rows.filters + (exists ? j * rows.step : 0);
    if (j >= transposed)
      for (std::size_t q = 0; q < chunk.quad_count; ++q)
        for (int i = 0; i < 4; ++i) chunk.quads[q].rows[i][j] = exists ? filter[chunk.quads[q].offset + i] : 0.0f;
    for (std::size_t s = 0; s < chunk.single_count; ++s)
      chunk.singles[s].row[j] = exists ? filter[chunk.singles[s].offset] : 0.0f;
  }
}

void PackRows(const PackedRows& rows) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  const std::size_t all = rows.values.size();
  for (std::size_t first = 0; first < all; first += kChunk) {
    const std::size_t end = std::min(all, first + kChunk);
    // The next chunk of each filter: more streams than the hardware asks ahead for.
    for (std::int64_t j = 0; j < rows.channels; ++j)
      for (std::size_t i = end; i < std::min(all, end + kChunk); i += kLine)
        __builtin_prefetch(rows.filters + j * rows.step + rows.values[i].offset);
    PackChunk(rows, Chunk(rows, rows.values.subspan(first, end - first)));
  }
}

}  // namespace convlens::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convlens::simd {

HWY_EXPORT(PackRows);

void pack_rows(const PackedRows& rows) { HWY_DYNAMIC_DISPATCH(PackRows)(rows); }

}  // namespace convlens::simd
#endif
