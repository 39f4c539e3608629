// Filling a stage's buffer through its gather map: the one loop that every lowering of the CPU uses.
#pragma once

#include <array>
#include <cstdint>

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/stage.h"
#include "algorithms/tensor/view.h"

namespace convlens {

// The axes from outermost to innermost loop; a map whose coordinates are not in memory order says so itself, as
// `static constexpr std::array<int, 6> kLoopOrder`.
template <class M>
constexpr std::array<int, kMaxRank> loop_order() {
  if constexpr (requires { M::kLoopOrder; })
    return M::kLoopOrder;
  else
    return {0, 1, 2, 3, 4, 5};
}

// All cells of a stage, and the part that pass number `first / resident` makes: from `first`, at most `resident` long.
inline Box whole(const Stage& stage) {
  Box box;
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) box.extent[axis] = stage.axes[axis].extent;
  return box;
}
inline Box pass_at(const Stage& stage, const Coord& first) {
  Box box{first, {1, 1, 1, 1, 1, 1}};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) {
    const Axis& a = stage.axes[axis];
    box.extent[axis] = a.extent - first[axis] < a.resident ? a.extent - first[axis] : a.resident;
  }
  return box;
}

// Writes every cell of `box` into `buffer`, the resident part of `stage`: elements of `source`, and zeros for padding.
template <GatherMap M, class T>
void fill(const M& map, const Stage& stage, const Box& box, View<const T> source, T* buffer, int threads) {
  constexpr auto order = loop_order<M>();
  Coord stride{}, extent{};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) stride[axis] = stage.axes[axis].stride;
  for (std::size_t k = 0; k < kMaxRank; ++k) extent[k] = box.extent[static_cast<std::size_t>(order[k])];

#pragma omp parallel for collapse(3) num_threads(threads)
  for (std::int64_t i0 = 0; i0 < extent[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < extent[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < extent[2]; ++i2)
        for (std::int64_t i3 = 0; i3 < extent[3]; ++i3)
          for (std::int64_t i4 = 0; i4 < extent[4]; ++i4)
            for (std::int64_t i5 = 0; i5 < extent[5]; ++i5) {
              Coord local{};
              local[order[0]] = i0, local[order[1]] = i1, local[order[2]] = i2;
              local[order[3]] = i3, local[order[4]] = i4, local[order[5]] = i5;
              Coord cell;
              std::int64_t offset = 0;
              for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
                cell[axis] = box.first[axis] + local[axis];
                offset += local[axis] * stride[axis];
              }
              const Gathered g = map.gather(cell);
              buffer[offset] = g.kind == SourceKind::element ? source(g.at[0], g.at[1], g.at[2], g.at[3]) : T{};
            }
}

}  // namespace convlens
