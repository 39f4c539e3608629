// What a grid is drawn of: its picture, lines, marks, numbers and words, wherever its cells are placed.
#pragma once

#include "viewer/ui/grid.h"

namespace convlens::viewer {

// The placement of a sheet on the screen: cell (0, 0) begins at (x, y), and every cell has `cell` pixels.
struct Placement {
  ImVec2 first, last;  // the corners of what is drawn into
  double cell, x, y;

  double left(std::int64_t column) const { return x + static_cast<double>(column) * cell; }
  double top(std::int64_t row) const { return y + static_cast<double>(row) * cell; }
  float width() const { return last.x - first.x; }
  float height() const { return last.y - first.y; }
};

// Draws `cells` of the sheet, all layers of the drawing, clipped to the placement.
void draw_cells(const Placement& at, const Rectangle& cells, CellPicture& picture, const GridContents& contents,
                Painter& painter);

}  // namespace convlens::viewer
