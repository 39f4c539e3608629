// A sheet: a tensor of up to six axes laid out flat, as rows and columns of cells.
//
// Some axes run down, some across, each list from slowest to fastest; the rest are fixed at one index (a slice). So the
// im2col matrix is (n, p, q) down and (c, u, v) across, and an image is h down and w across at one n and c. A box of
// the tensor is a set of rectangles of the sheet. An axis that is a rectangle itself (fold.h) runs both down and
// across.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/interface/stage.h"
#include "viewer/logic/fold.h"
#include "viewer/logic/rectangle.h"

namespace convlens::viewer {

class Sheet {
 public:
  // `fixed` gives the index of every axis that is in neither list; an axis in both is the folded one.
  Sheet(std::vector<Axis> axes, std::vector<int> down, std::vector<int> across, Coord fixed, const Fold& fold = {});

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  const std::vector<int>& down() const { return down_; }
  const std::vector<int>& across() const { return across_; }

  // Nothing where a folded axis has no index.
  std::optional<Coord> cell(std::int64_t row, std::int64_t column) const;

  // Where a cell lies; nothing when it is in another slice.
  struct Position {
    std::int64_t row = 0, column = 0;
  };
  std::optional<Position> position(const Coord& cell) const;

  // The rectangles of the sheet that `box` covers, those outside `window` left out; at most `most` of them.
  std::vector<Rectangle> rectangles(const Box& box, const Rectangle& window, std::size_t most) const;

  // The step after which the slowest axes of the rows (columns) move on: where separating lines are drawn. 0: none.
  std::int64_t row_block() const { return block(down_, heights_); }
  std::int64_t column_block() const { return block(across_, widths_); }

 private:
  using Sizes = std::vector<std::int64_t>;  // of each axis along one side of the sheet

  static std::int64_t block(const std::vector<int>& order, const Sizes& sizes);
  static std::vector<Interval> intervals(const Box& box, const std::vector<int>& order, const Sizes& sizes,
                                         const Interval& window, std::size_t most);
  void add_rectangles(const Box& down, const Box& across, const Rectangle& window, std::size_t most,
                      std::vector<Rectangle>& found) const;

  std::vector<Axis> axes_;
  std::vector<int> down_, across_;
  Coord fixed_;
  Fold fold_;
  Sizes heights_, widths_;
  std::int64_t rows_ = 1, columns_ = 1;
};

}  // namespace convlens::viewer
