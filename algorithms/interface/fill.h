// Filling a stage's buffer through its affine map: the one loop that every lowering of the CPU uses.
//
// Asking the map for every cell would cost several times what a hand-written loop does. It is asked for the two corners
// of a block instead. Coordinates grow with the cell's, so a block whose corners lie inside the source lies there
// altogether and is copied by strides alone; one that lies beyond an edge is all padding; one that straddles an edge is
// cut there, until its parts do neither.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/stage.h"
#include "algorithms/tensor/view.h"

namespace convlens {

// All cells of a stage, and the part that the pass starting at `first` makes: as long as what is resident.
inline Box whole(const Stage& stage) {
  Box box;
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) box.extent[axis] = stage.axes[axis].extent;
  return box;
}
inline Box pass_at(const Stage& stage, const Coord& first) {
  Box box{first, {1, 1, 1, 1, 1, 1}};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis)
    box.extent[axis] = std::min(stage.axes[axis].extent - first[axis], stage.axes[axis].resident);
  return box;
}

namespace detail {

template <AffineMap M, class T>
class Filling {
 public:
  Filling(const M& map, const Stage& stage, const Box& box, View<const T> source) : map_(map), source_(source) {
    const Coord origin = map.at({});
    for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
      Coord one{};
      one[axis] = 1;
      Coord moves = map.at(one);
      for (std::size_t a = 0; a < kMaxRank; ++a) moves[a] -= origin[a];
      loops_[axis] = {axis, axis < stage.axes.size() ? stage.axes[axis].stride : 0, position(moves), moves};
    }
    // As the cells lie in memory; an axis that is one long, which no time should be spent on, is outermost.
    std::stable_sort(loops_.begin(), loops_.end(), [&](const Loop& a, const Loop& b) {
      const bool a_unit = box.extent[a.axis] == 1, b_unit = box.extent[b.axis] == 1;
      return a_unit != b_unit ? a_unit : a.to > b.to;
    });
  }

  // The slowest loops are shared out among the threads, as many of them as make some tens of blocks for each.
  void run(const Box& box, T* buffer, int threads) const {
    std::size_t shared = 0;
    std::int64_t blocks = 1;
    while (shared < kMaxRank && blocks < 32 * threads) blocks *= box.extent[loops_[shared++].axis];
#pragma omp parallel for num_threads(threads)
    for (std::int64_t number = 0; number < blocks; ++number) {
      Box block = box;
      T* to = buffer;
      std::int64_t rest = number;
      for (std::size_t k = shared; k-- > 0;) {
        const std::size_t axis = loops_[k].axis;
        const std::int64_t i = rest % box.extent[axis];
        rest /= box.extent[axis];
        block.first[axis] += i;
        block.extent[axis] = 1;
        to += i * loops_[k].to;
      }
      fill(block, to);
    }
  }

 private:
  // A loop along one axis, and how far one step goes in the buffer, in the source's memory and in its coordinates.
  struct Loop {
    std::size_t axis;
    std::int64_t to, from;
    Coord moves;
  };

  std::int64_t position(const Coord& at) const {
    std::int64_t sum = 0;
    for (std::size_t axis = 0; axis < source_.strides.size(); ++axis) sum += at[axis] * source_.strides[axis];
    return sum;
  }

  void fill(const Box& block, T* to) const {
    Coord last = block.first;
    for (std::size_t axis = 0; axis < kMaxRank; ++axis) last[axis] += block.extent[axis] - 1;
    const Coord low = map_.at(block.first), high = map_.at(last);
    for (std::size_t axis = 0; axis < source_.shape.size(); ++axis)
      if (high[axis] < 0 || low[axis] >= source_.shape[axis]) return zero(block, to);
    for (std::size_t axis = 0; axis < source_.shape.size(); ++axis)
      if (low[axis] < 0 || high[axis] >= source_.shape[axis]) return cut(block, to, axis, low[axis], high[axis]);
    copy(block, source_.data + position(low), to);
  }

  // Cuts a block whose coordinates on one axis of the source straddle an edge, along the slowest loop that moves them:
  // where its first or last corner comes inside, or in the middle if this loop alone brings neither there.
  void cut(Box block, T* to, std::size_t edge, std::int64_t low, std::int64_t high) const {
    const Loop& loop = *std::find_if(loops_.begin(), loops_.end(),
                                     [&](const Loop& l) { return l.moves[edge] != 0 && block.extent[l.axis] > 1; });
    const std::int64_t all = block.extent[loop.axis], step = loop.moves[edge];
    const auto steps_over = [&](std::int64_t distance) { return (distance + step - 1) / step; };
    std::int64_t at = low < 0 ? steps_over(-low) : all - steps_over(high - source_.shape[edge] + 1);
    if (at < 1 || at >= all) at = all / 2;
    block.extent[loop.axis] = at;
    fill(block, to);
    block.first[loop.axis] += at;
    block.extent[loop.axis] = all - at;
    fill(block, to + at * loop.to);
  }

  template <std::size_t kLoop = 0>
  void copy(const Box& block, const T* from, T* to) const {
    const Loop& loop = loops_[kLoop];
    for (std::int64_t i = 0; i < block.extent[loop.axis]; ++i)
      if constexpr (kLoop + 1 == kMaxRank)
        to[i * loop.to] = from[i * loop.from];
      else
        copy<kLoop + 1>(block, from + i * loop.from, to + i * loop.to);
  }

  template <std::size_t kLoop = 0>
  void zero(const Box& block, T* to) const {
    const Loop& loop = loops_[kLoop];
    for (std::int64_t i = 0; i < block.extent[loop.axis]; ++i)
      if constexpr (kLoop + 1 == kMaxRank)
        to[i * loop.to] = T{};
      else
        zero<kLoop + 1>(block, to + i * loop.to);
  }

  M map_;
  View<const T> source_;
  std::array<Loop, kMaxRank> loops_;
};

}  // namespace detail

// Writes every cell of `box` into `buffer`, the resident part of `stage`: elements of `source`, and zeros for padding.
template <AffineMap M, class T>
void fill(const M& map, const Stage& stage, const Box& box, View<const T> source, T* buffer, int threads) {
  if (box.size() > 0) detail::Filling<M, T>(map, stage, box, source).run(box, buffer, threads);
}

}  // namespace convlens
