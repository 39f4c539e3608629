// Filling a lowered tensor whose channel is its fastest axis, a run of channels at a time.
//
// Along the channel axis a lowering copies from neighbouring channels of one pixel, or pads them all. The three fastest
// axes are a patch, in which the map is asked for its two corners: coordinates grow with the cell's, so when both lie
// in the picture, all of the patch does and is copied by strides alone, and cells that follow in x as they do here,
// such as the taps of a filter row, are one run. In a patch that touches padding, the map is asked for each run.
// Otherwise this is `fill` of algorithms/interface/fill.h, on one thread.
#pragma once

#include <algorithm>
#include <cstring>

#include "algorithms/interface/index_map.h"
#include "algorithms/tensor/view.h"

namespace convlens::simd {

// Short runs in steps of kStep floats, the last of which overlaps the one before: a call of memcpy takes longer.
inline void copy_run(const float* from, std::int64_t length, float* to) {
  constexpr std::int64_t kStep = 8, kLong = 64;
  if (length < kStep) {
    for (std::int64_t k = 0; k < length; ++k) to[k] = from[k];
    return;
  }
  if (length >= kLong) {
    std::memcpy(to, from, static_cast<std::size_t>(length) * sizeof(float));
    return;
  }
  for (std::int64_t k = 0; k < length - kStep; k += kStep) std::memcpy(to + k, from + k, kStep * sizeof(float));
  std::memcpy(to + length - kStep, from + length - kStep, kStep * sizeof(float));
}

// The three fastest axes, from slow to fast: how far they go, and how far each step moves in x.
struct Patch {
  std::array<std::int64_t, 3> extent{}, step{};

  std::int64_t cells() const { return extent[0] * extent[1] * extent[2]; }

  void copy(const float* from, float* to) const {
    const bool contiguous = step[2] == 1, one_run = contiguous && step[1] == extent[2];
    // Three channels go as four: what is read too much lies before the next pixel's run, what is written too much is
    // overwritten by the next run. Not of the last pixels, which may have nothing behind them.
    const bool wide = contiguous && extent[2] == 3 && step[0] >= extent[2];
    for (std::int64_t a = 0; a < extent[0]; ++a, from += step[0]) {
      if (one_run) {
        copy_run(from, extent[1] * extent[2], to);
        to += extent[1] * extent[2];
        continue;
      }
      const float* run = from;
      for (std::int64_t b = 0; b < extent[1]; ++b, run += step[1], to += extent[2])
        if (wide && a + 1 < extent[0])
          std::memcpy(to, run, 4 * sizeof(float));
        else if (contiguous)
          copy_run(run, extent[2], to);
        else
          for (std::int64_t c = 0; c < extent[2]; ++c) to[c] = run[c * step[2]];
    }
  }
};

// Writes the cells of `box`, densely, with the axes ordered from slowest to fastest by kOrder, the channel last.
template <int... kOrder, AffineMap M>
void fill_runs(const M& map, const Box& box, View<const float> x, float* to) {
  static_assert(sizeof...(kOrder) == kMaxRank);
  constexpr std::array<std::size_t, kMaxRank> order{kOrder...};
  const auto end = [&](std::size_t level) { return box.first[order[level]] + box.extent[order[level]]; };
  const auto in_x = [&](const Gathered& g) { return &x(g.at[0], g.at[1], g.at[2], g.at[3]); };

  Patch patch, run;  // run: all channels of one cell of the patch
  const Coord origin = map.at({});
  for (std::size_t k = 0; k < 3; ++k) {
    Coord one{};
    one[order[3 + k]] = 1;
    const Coord next = map.at(one);
    for (std::size_t axis = 0; axis < 4; ++axis) patch.step[k] += (next[axis] - origin[axis]) * x.strides[axis];
    patch.extent[k] = box.extent[order[3 + k]];
  }
  run = patch;
  run.extent[0] = run.extent[1] = 1;

  Coord at = box.first, corner = box.first;
  for (at[order[0]] = box.first[order[0]]; at[order[0]] < end(0); ++at[order[0]])
    for (at[order[1]] = box.first[order[1]]; at[order[1]] < end(1); ++at[order[1]])
      for (at[order[2]] = box.first[order[2]]; at[order[2]] < end(2); ++at[order[2]]) {
        at[order[3]] = box.first[order[3]], at[order[4]] = box.first[order[4]];
        corner = at;
        corner[order[3]] = end(3) - 1, corner[order[4]] = end(4) - 1;
        const Gathered first = map.gather(at), last = map.gather(corner);
        if (first.kind == SourceKind::element && last.kind == SourceKind::element) {
          patch.copy(in_x(first), to);
          to += patch.cells();
          continue;
        }
        for (; at[order[3]] < end(3); ++at[order[3]])
          for (at[order[4]] = box.first[order[4]]; at[order[4]] < end(4); ++at[order[4]], to += run.cells()) {
            const Gathered cell = map.gather(at);
            if (cell.kind == SourceKind::element)
              run.copy(in_x(cell), to);
            else
              std::fill_n(to, run.cells(), 0.0f);
          }
      }
}

}  // namespace convlens::simd
