#include "viewer/logic/sheet.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

bool holds(const std::vector<int>& order, std::size_t axis) {
  return std::ranges::find(order, static_cast<int>(axis)) != order.end();
}

}  // namespace

Sheet::Sheet(std::vector<Axis> axes, std::vector<int> down, std::vector<int> across, Coord fixed, const Fold& fold)
    : axes_(std::move(axes)), down_(std::move(down)), across_(std::move(across)), fixed_(fixed), fold_(fold) {
  for (const Axis& axis : axes_) heights_.push_back(axis.extent), widths_.push_back(axis.extent);
  if (fold_.axis >= 0) {
    const auto axis = static_cast<std::size_t>(fold_.axis);
    heights_[axis] = fold_.rows, widths_[axis] = fold_.columns;
  }
  for (const int axis : down_) rows_ *= heights_[static_cast<std::size_t>(axis)];
  for (const int axis : across_) columns_ *= widths_[static_cast<std::size_t>(axis)];
}

std::optional<Coord> Sheet::cell(std::int64_t row, std::int64_t column) const {
  const auto split = [](Coord at, std::int64_t rest, const std::vector<int>& order, const Sizes& sizes) {
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      const std::int64_t extent = sizes[static_cast<std::size_t>(*axis)];
      at[static_cast<std::size_t>(*axis)] = rest % extent;
      rest /= extent;
    }
    return at;
  };
  const Coord down = split(fixed_, row, down_, heights_);
  Coord at = split(down, column, across_, widths_);
  if (fold_.axis < 0) return at;
  const auto folded = static_cast<std::size_t>(fold_.axis);
  const std::optional<std::int64_t> index = fold_.index(down[folded], at[folded]);
  if (!index) return std::nullopt;
  at[folded] = *index;
  return at;
}

std::optional<Sheet::Position> Sheet::position(const Coord& cell) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (!holds(down_, axis) && !holds(across_, axis) && cell[axis] != fixed_[axis]) return std::nullopt;
  const auto join = [](const Coord& at, const std::vector<int>& order, const Sizes& sizes) {
    std::int64_t index = 0;
    for (const int axis : order)
      index = index * sizes[static_cast<std::size_t>(axis)] + at[static_cast<std::size_t>(axis)];
    return index;
  };
  Coord down = cell, across = cell;
  if (fold_.axis >= 0) {
    const auto folded = static_cast<std::size_t>(fold_.axis);
    const Fold::Place place = fold_.place(cell[folded]);
    down[folded] = place.row, across[folded] = place.column;
  }
  return Position{join(down, down_, heights_), join(across, across_, widths_)};
}

std::int64_t Sheet::block(const std::vector<int>& order, const Sizes& sizes) {
  if (order.size() < 2) return 0;
  std::int64_t step = 1;
  for (std::size_t k = 1; k < order.size(); ++k) step *= sizes[static_cast<std::size_t>(order[k])];
  return step;
}

std::vector<Interval> Sheet::intervals(const Box& box, const std::vector<int>& order, const Sizes& sizes,
                                       const Interval& window, std::size_t most) {
  // From the fastest axis outwards: as long as the inner ones are covered whole, an axis only makes the run longer.
  std::int64_t length = 1, first = 0, step = 1;
  std::size_t outer = order.size();
  bool whole = true;
  while (outer > 0 && whole) {
    const auto axis = static_cast<std::size_t>(order[outer - 1]);
    first += box.first[axis] * step;
    length = box.extent[axis] * step;
    step *= sizes[axis];
    whole = box.extent[axis] == sizes[axis];
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
      self(self, k - 1, base + (box.first[axis] + i) * size, size * sizes[axis]);
  };
  repeat(repeat, outer, first, step);
  return found;
}

void Sheet::add_rectangles(const Box& down, const Box& across, const Rectangle& window, std::size_t most,
                           std::vector<Rectangle>& found) const {
  const std::vector<Interval> columns = intervals(across, across_, widths_, window.columns, most);
  for (const Interval& rows : intervals(down, down_, heights_, window.rows, most))
    for (const Interval& column : columns)
      if (found.size() < most) found.push_back({rows, column});
}

std::vector<Rectangle> Sheet::rectangles(const Box& box, const Rectangle& window, std::size_t most) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (!holds(down_, axis) && !holds(across_, axis) &&
        (fixed_[axis] < box.first[axis] || fixed_[axis] >= box.first[axis] + box.extent[axis]))
      return {};
  std::vector<Rectangle> found;
  if (fold_.axis < 0) return add_rectangles(box, box, window, most, found), found;
  const auto folded = static_cast<std::size_t>(fold_.axis);
  for (const Rectangle& part : fold_.rectangles({box.first[folded], box.extent[folded]})) {
    Box down = box, across = box;
    down.first[folded] = part.rows.first, down.extent[folded] = part.rows.count;
    across.first[folded] = part.columns.first, across.extent[folded] = part.columns.count;
    add_rectangles(down, across, window, most, found);
  }
  return found;
}

}  // namespace convlens::viewer
