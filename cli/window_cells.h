// The cells of a stage as a 2-D grid in memory order, and what each is made of: asked of the stage's index map alone.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens::cli {

struct WindowCell {
  std::vector<Coord> elements;  // the elements of x that it holds or mixes; none: a zero of padding
  bool used = false;            // the output that is looked at depends on it
};

struct WindowGrid {
  const Algorithm* row = nullptr;
  Stage stage;
  std::int64_t rows = 0, columns = 0;
  std::vector<WindowCell> cells;  // row by row, as they lie in memory

  const WindowCell& at(std::int64_t r, std::int64_t c) const {
    return cells[static_cast<std::size_t>(r * columns + c)];
  }
};

// The grid of `stage`: as many of its fastest axes side by side as make at most `most_columns` columns, the others
// below each other. `output` is an element of y, (n, o, p, q).
WindowGrid window_grid(const Algorithm& row, const Stage& stage, const Coord& output, std::int64_t most_columns);

// For every row of the registry that computes `problem`: the stages that it stores and makes from x alone, element by
// element. Spectra and opaque stages, of which no cell can be told in elements, are left out.
std::vector<WindowGrid> window_grids(const ConvProblem& problem, const Coord& output, std::int64_t most_columns);

}  // namespace convlens::cli
