// Filling a lowered tensor whose channel is its fastest axis, a run of channels at a time.
//
// The map is asked for the first channel of a run only: along the channel axis a lowering copies from neighbouring
// channels of one pixel, or pads them all. Otherwise this is `fill` of algorithms/interface/fill.h, on one thread.
#pragma once

#include <algorithm>
#include <cstring>

#include "algorithms/interface/index_map.h"
#include "algorithms/tensor/view.h"

namespace convlens::simd {

// Writes the cells of `box`, densely, with the axes ordered from slowest to fastest by kOrder, the channel last.
template <int... kOrder, GatherMap M>
void fill_runs(const M& map, const Box& box, View<const float> x, float* to) {
  static_assert(sizeof...(kOrder) == kMaxRank);
  constexpr std::array<std::size_t, kMaxRank> order{kOrder...};
  const std::int64_t channels = box.extent[order[5]];
  const bool contiguous = x.strides[1] == 1;
  const auto last = [&](std::size_t level) { return box.first[order[level]] + box.extent[order[level]]; };
  Coord at = box.first;
  for (at[order[0]] = box.first[order[0]]; at[order[0]] < last(0); ++at[order[0]])
    for (at[order[1]] = box.first[order[1]]; at[order[1]] < last(1); ++at[order[1]])
      for (at[order[2]] = box.first[order[2]]; at[order[2]] < last(2); ++at[order[2]])
        for (at[order[3]] = box.first[order[3]]; at[order[3]] < last(3); ++at[order[3]])
          for (at[order[4]] = box.first[order[4]]; at[order[4]] < last(4); ++at[order[4]], to += channels) {
            const Gathered g = map.gather(at);
            if (g.kind != SourceKind::element) {
              std::fill_n(to, channels, 0.0f);
              continue;
            }
            const float* from = &x(g.at[0], g.at[1], g.at[2], g.at[3]);
            if (contiguous && channels >= 8)
              std::memcpy(to, from, static_cast<std::size_t>(channels) * sizeof(float));
            else
              for (std::int64_t c = 0; c < channels; ++c) to[c] = from[c * x.strides[1]];
          }
}

}  // namespace convlens::simd
