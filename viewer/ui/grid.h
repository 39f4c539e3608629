// The grid: a sheet of any size as coloured cells that can be zoomed, moved and pointed at.
//
// Where a cell has at least one pixel, every cell is drawn, with as many pixels as any other; where it has less, one
// cell, or the mean of those that share it, is drawn for each pixel, so that a grid of 10¹⁰ cells costs no more than
// one of 10⁵. From 24 pixels a cell its number is written in it. While cells are small, a lens beside the grid shows
// the neighbourhood of what is lit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "viewer/logic/links.h"
#include "viewer/logic/marks.h"
#include "viewer/logic/sheet.h"
#include "viewer/platform/texture.h"
#include "viewer/ui/painter.h"
#include "viewer/ui/theme.h"

namespace convlens::viewer {

// A picture of some cells of a sheet, painted in the background. Until the next one is there, the last one is drawn
// where its cells are now.
struct CellPicture {
  std::shared_ptr<Painting> painting;
  int passes = 0;       // of the painting that `texture` shows
  Rectangle cells;      // that the texture shows
  Rectangle requested;  // that the painting will show
  Texture texture;

  std::string marks_key;
  Marks marks, used;  // of what is lit, and used, in `requested`
};

// What a user has made of one grid; kept from frame to frame.
struct GridView {
  double cell = 0;             // pixels, drawn in whole ones; 0: as large as lets the whole sheet be seen
  double row = 0, column = 0;  // what is in the middle, when `cell` is not 0
  CellPicture picture, lens;
  Rectangle shown;   // the cells in view, as last drawn
  Rectangle lensed;  // those in the lens; empty without one
};

// A word in a cell, such as its coefficient.
struct GridLabel {
  Coord at{};
  std::string text;
  bool positive = true;
};

struct GridContents {
  const Sheet& sheet;
  std::string key;  // changes whenever a colour or number may have changed
  // Called in the background: they own what they read.
  std::function<std::uint32_t(std::int64_t row, std::int64_t column)> colour;
  std::function<std::string(std::int64_t row, std::int64_t column)> number;

  const std::vector<Box>* lit = nullptr;
  const std::vector<Box>* used = nullptr;  // the part of `lit` that stands out; null: all of it
  std::string lit_key = "";                // changes whenever these two do
  std::optional<Coord> cursor = std::nullopt;
  std::vector<GridLabel> labels = {};
  // The grain in which a picture of `pixels` that shows so many cells is painted (painter.h); null: every pixel.
  std::function<int(double pixels, double cells)> grain = nullptr;
  double made = 1;    // the part of the rows that exists already; the rest is veiled
  bool lens = true;   // whether small cells get a lens
  bool lines = true;  // whether blocks of the sheet are set apart by lines
  // The colour of all cells from (row, column) on that share one pixel, `side` of them down and across, parts of cells
  // included; null: the first of them stands for all.
  std::function<std::uint32_t(double row, double column, double side)> mean = nullptr;
  // In place of `number`: what is written in as many letters as there is room for; nothing where there is no cell.
  std::function<std::optional<double>(std::int64_t row, std::int64_t column)> value = nullptr;
};

struct GridAnswer {
  std::optional<Sheet::Position> pointed;  // the cell under the pointer
  ImVec2 first{}, last{};                  // the corners of the space that the cells were drawn into
  double cell = 0, x = 0, y = 0;           // pixels a cell, and where cell (0, 0) begins
};

// Draws into the space of `size` at ImGui's cursor. The wheel zooms about the pointer, dragging moves, a double click
// fits.
GridAnswer grid(const char* id, GridView& view, const GridContents& contents, Painter& painter, ImVec2 size);

// Pictures of one sheet, one or two of them, zoomed and moved as one: the first view's, which the other follows.
struct GridPart {
  GridView* view;
  const GridContents* contents;
};
GridAnswer grids(const char* id, const std::vector<GridPart>& parts, Painter& painter, ImVec2 size);

}  // namespace convlens::viewer
