// What is lit on a sheet, as one drawing: the area to tint, and the outline around it, without lines inside.
//
// Rectangles are entered into a raster of marked squares, one a cell, or, where cells are smaller than pixels, one a
// pixel. Equal runs of neighbouring rows become one fill; borders between marked and unmarked squares become edges.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/logic/sheet.h"

namespace convlens::viewer {

struct Marks {
  struct Fill {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const Fill&) const = default;
  };
  struct Edge {  // from the upper left corner of square (x, y), `length` squares far
    int x = 0, y = 0, length = 0;
    bool operator==(const Edge&) const = default;
  };
  std::vector<Fill> fills;
  std::vector<Edge> across, down;  // horizontal edges, vertical edges
  std::int64_t squares = 0;        // marked
  bool complete = true;            // false: more rectangles than `kMostRectangles`, of which the first are here
};

inline constexpr std::size_t kMostRectangles = std::size_t{1} << 17;

// The marks of `lit` in `window`, which has one square for every `step` ≥ 1 cells in each direction; every mark has at
// least `least` squares, so that it can be seen.
Marks marks_of(const Sheet& sheet, const std::vector<Box>& lit, const Rectangle& window, double step, int least);

}  // namespace convlens::viewer
