#include "viewer/logic/sheet.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

bool holds(const std::vector<int>& order, std::size_t axis) {
  return std::ranges::find(order, static_cast<int>(axis)) != order.end();
}

}  // namespace

Sheet::Sheet(std::vector<Axis> axes, std::vector<int> down, std::vector<int> across, Coord fixed)
    : axes_(std::move(axes)), down_(std::move(down)), across_(std::move(across)), fixed_(fixed) {
  for (const int axis : down_) rows_ *= axes_[static_cast<std::size_t>(axis)].extent;
  for (const int axis : across_) columns_ *= axes_[static_cast<std::size_t>(axis)].extent;
}

Coord Sheet::cell(std::int64_t row, std::int64_t column) const {
  Coord at = fixed_;
  const auto split = [&](std::int64_t rest, const std::vector<int>& order) {
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      const std::int64_t extent = axes_[static_cast<std::size_t>(*axis)].extent;
      at[static_cast<std::size_t>(*axis)] = rest % extent;
      rest /= extent;
    }
  };
  split(row, down_);
  split(column, across_);
  return at;
}

std::optional<Sheet::Position> Sheet::position(const Coord& cell) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (!holds(down_, axis) && !holds(across_, axis) && cell[axis] != fixed_[axis]) return std::nullopt;
  const auto join = [&](const std::vector<int>& order) {
    std::int64_t index = 0;
    for (const int axis : order)
      index = index * axes_[static_cast<std::size_t>(axis)].extent + cell[static_cast<std::size_t>(axis)];
    return index;
  };
  return Position{join(down_), join(across_)};
}

std::int64_t Sheet::block(const std::vector<int>& order) const {
  if (order.size() < 2) return 0;
  std::int64_t step = 1;
  for (std::size_t k = 1; k < order.size(); ++k) step *= axes_[static_cast<std::size_t>(order[k])].extent;
  return step;
}

std::vector<Interval> Sheet::intervals(const Box& box, const std::vector<int>& order, const Interval& window,
                                       std::size_t most) const {
  // From the fastest axis outwards: as long as the inner ones are covered whole, an axis only makes the run longer.
  std::int64_t length = 1, first = 0, step = 1;
  std::size_t outer = order.size();
  bool whole = true;
  while (outer > 0 && whole) {
    const auto axis = static_cast<std::size_t>(order[outer - 1]);
    first += box.first[axis] * step;
    length = box.extent[axis] * step;
    step *= axes_[axis].extent;
    whole = box.extent[axis] == axes_[axis].extent;
    --outer;
  }
  // The rest of the axes repeat that run.
  std::vector<Interval> found;
  const auto repeat = [&](auto&& self, std::size_t k, std::int64_t base, std::int64_t size) -> void {
    if (k == 0) {
      const std::int64_t begin = std::max(base, window.first);
      const std::int64_t end = std::min(base + length, window.first + window.count);
      if (begin < end && found.size() < most) found.push_back({begin, end - begin});
      return;
    }
    const auto axis = static_cast<std::size_t>(order[k - 1]);
    for (std::int64_t i = 0; i < box.extent[axis] && found.size() < most; ++i)
      self(self, k - 1, base + (box.first[axis] + i) * size, size * axes_[axis].extent);
  };
  repeat(repeat, outer, first, step);
  return found;
}

std::vector<Rectangle> Sheet::rectangles(const Box& box, const Rectangle& window, std::size_t most) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (!holds(down_, axis) && !holds(across_, axis) &&
        (fixed_[axis] < box.first[axis] || fixed_[axis] >= box.first[axis] + box.extent[axis]))
      return {};
  std::vector<Rectangle> found;
  const std::vector<Interval> columns = intervals(box, across_, window.columns, most);
  for (const Interval& rows : intervals(box, down_, window.rows, most))
    for (const Interval& column : columns)
      if (found.size() < most) found.push_back({rows, column});
  return found;
}

}  // namespace convlens::viewer
