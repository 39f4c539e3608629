// How the space of a grid is divided: between its picture, or two of the same sheet (magnitude and phase), and a lens
// of each while cells are small. Lenses so never cover what they magnify.
//
// Of all ways to set pictures and lenses beside or below each other it is the one with the largest cells; of those the
// one with the largest lenses.
#pragma once

#include <imgui/imgui.h>

#include <vector>

#include "viewer/logic/sheet.h"

namespace convlens::viewer {

// A rectangle in pixels.
struct Space {
  ImVec2 first{0, 0}, size{0, 0};

  ImVec2 last() const { return {first.x + size.x, first.y + size.y}; }
  ImVec2 middle() const { return {first.x + size.x / 2, first.y + size.y / 2}; }
};

struct Division {
  double cell = 0;                      // pixels a cell, with which the whole sheet fits
  std::vector<Space> pictures, lenses;  // one each; no lenses where cells are large or there is no room
};

// While the whole sheet is shown, its pictures and lenses stand together in the middle; zoomed in, to cells of `zoom`
// pixels, the pictures take all the space that the lenses leave. `pictures` is 1 or 2.
Division divide(const Sheet& sheet, int pictures, bool with_lens, const Space& space, double zoom);

inline constexpr float kFrame = 3;  // pixels around a picture, for the marks at its edges
inline constexpr std::int64_t kLensCells = 11, kFewestLensCells = 5;
inline constexpr double kLargestCell = 160, kSmallestCell = 1.0 / 4096;  // pixels

// From one pixel on, cells have a whole number of pixels: were some of them wider than their neighbours, a regular
// pattern of values would be drawn as another.
double whole_pixels(double cell);

}  // namespace convlens::viewer
