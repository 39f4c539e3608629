// A sheet: a tensor of up to six axes laid out flat, as rows and columns of cells.
//
// Some axes run down, some across, each list from slowest to fastest; the rest are fixed at one index (a slice). So the
// im2col matrix is (n, p, q) down and (c, u, v) across, and an image is h down and w across at one n and c. A box of
// the tensor is a set of rectangles of the sheet.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/interface/stage.h"

namespace convlens::viewer {

struct Interval {
  std::int64_t first = 0, count = 0;
  bool operator==(const Interval&) const = default;
};

struct Rectangle {
  Interval rows, columns;
  bool operator==(const Rectangle&) const = default;
};

class Sheet {
 public:
  // `fixed` gives the index of every axis that is in neither list.
  Sheet(std::vector<Axis> axes, std::vector<int> down, std::vector<int> across, Coord fixed);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  const std::vector<int>& down() const { return down_; }
  const std::vector<int>& across() const { return across_; }

  Coord cell(std::int64_t row, std::int64_t column) const;

  // Where a cell lies; nothing when it is in another slice.
  struct Position {
    std::int64_t row = 0, column = 0;
  };
  std::optional<Position> position(const Coord& cell) const;

  // The rectangles of the sheet that `box` covers, those outside `window` left out; at most `most` of them.
  std::vector<Rectangle> rectangles(const Box& box, const Rectangle& window, std::size_t most) const;

  // The step after which the slowest axes of the rows (columns) move on: where separating lines are drawn. 0: none.
  std::int64_t row_block() const { return block(down_); }
  std::int64_t column_block() const { return block(across_); }

 private:
  std::int64_t block(const std::vector<int>& order) const;
  std::vector<Interval> intervals(const Box& box, const std::vector<int>& order, const Interval& window,
                                  std::size_t most) const;

  std::vector<Axis> axes_;
  std::vector<int> down_, across_;
  Coord fixed_;
  std::int64_t rows_ = 1, columns_ = 1;
};

}  // namespace convlens::viewer
