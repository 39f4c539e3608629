#include "viewer/logic/fold.h"

#include <algorithm>

namespace convlens::viewer {

Fold::Place Fold::place(std::int64_t index) const {
  if (index < 2 * ends) return {index / ends * (rows - 1), index % ends};
  const std::int64_t between = index - 2 * ends;
  return {between / columns + (ends > 0 ? 1 : 0), between % columns};
}

std::optional<std::int64_t> Fold::index(std::int64_t row, std::int64_t column) const {
  if (ends == 0) return row * columns + column;
  if (row > 0 && row < rows - 1) return 2 * ends + (row - 1) * columns + column;
  if (column >= ends) return std::nullopt;
  return row == 0 ? column : ends + column;
}

std::vector<Rectangle> Fold::rectangles(const Interval& range) const {
  std::vector<Rectangle> found;
  const std::int64_t last = range.first + range.count;
  // A part of one row.
  const auto piece = [&](std::int64_t first, std::int64_t end) {
    if (first >= end) return;
    const Place at = place(first);
    found.push_back({{at.row, 1}, {at.column, end - first}});
  };
  piece(range.first, std::min(last, ends));
  piece(std::max(range.first, ends), std::min(last, 2 * ends));

  // Of the full rows the rest of the one that the range begins in, those that it covers, the beginning of its last.
  const std::int64_t first = std::max(range.first, 2 * ends);
  if (first >= last) return found;
  const std::int64_t row = (first - 2 * ends) / columns, to = (last - 2 * ends) / columns;
  const auto begin = [&](std::int64_t of_row) { return 2 * ends + of_row * columns; };
  const std::int64_t whole = first == begin(row) ? row : row + 1;  // the first row that is covered from its beginning
  piece(first, std::min(last, begin(whole)));
  if (to > whole) found.push_back({{place(begin(whole)).row, to - whole}, {0, columns}});
  if (to >= whole) piece(begin(to), last);
  return found;
}

}  // namespace convlens::viewer
