// An axis that is a rectangle: the bins of a spectrum, which a kernel numbers one after the other, are drawn as the
// half plane (k, l) that they are.
//
// Index i lies at (i / columns, i mod columns). Of the own transforms (kernels/fft/fft_spectra.h) the first and the
// last row hold `ends` bins only, since the others are their conjugates, and these two rows come first:
//
//   0 1 2 . .      ends = 3
//   6 7 8 9 …      a row between the two
//   3 4 5 . .
#pragma once

#include <optional>
#include <vector>

#include "viewer/logic/rectangle.h"

namespace convlens::viewer {

struct Fold {
  int axis = -1;  // of the sheet's; −1: none
  std::int64_t rows = 1, columns = 1;
  std::int64_t ends = 0;  // 0: all rows are full

  bool operator==(const Fold&) const = default;

  struct Place {
    std::int64_t row = 0, column = 0;
  };
  Place place(std::int64_t index) const;
  std::optional<std::int64_t> index(std::int64_t row, std::int64_t column) const;  // nothing where none is
  std::int64_t extent() const { return ends > 0 ? 2 * ends + (rows - 2) * columns : rows * columns; }

  // What the indices [range.first, range.first + range.count) cover: each once, in at most five rectangles.
  std::vector<Rectangle> rectangles(const Interval& range) const;
};

}  // namespace convlens::viewer
