// The Layouts panel: every tensor of every chosen algorithm, and what belongs to the cell under the pointer in all of
// them. It has several arrangements, one function and one file each.
#pragma once

#include "viewer/ui/scene.h"

namespace convlens::viewer {

struct Arrangement {
  const char* id;  // as in State::arrangement
  const char* title;
  const char* sentence;
  void (*draw)(Scene& scene);
  nlohmann::ordered_json (*data)(const Scene& scene);  // what it draws, as rows
};

Arrangement grids_arrangement();     // all tensors side by side
Arrangement five_arrangement();      // five algorithms, one cursor, one scrubber
Arrangement copies_arrangement();    // how often each input pixel is stored
Arrangement ribbon_arrangement();    // the addresses that a window touches
Arrangement schedule_arrangement();  // which thread block computes what, in launch order

// What is lit, in one tensor or in all: a row a cell, or, where they are very many, a box of cells (lit_cells.cpp).
nlohmann::ordered_json lit_cells(const Scene& scene, const Exhibit& exhibit);
nlohmann::ordered_json lit_cells(const Scene& scene);

// One tensor, titled, as a grid that can be pointed at; `size` is that of the whole pane. Of its rows the part `made`
// exists already.
void draw_exhibit(Scene& scene, const Exhibit& exhibit, ImVec2 size, double made = 1, bool framed = true);

// In the place of the tensors of a row that cannot run: why, and a button for the nearest change with which it can.
void draw_refused_row(Scene& scene, const ChosenRow& row, ImVec2 size);

// A line with a name, or its last words, and faint details, of which as many are written as fit; the tooltip has
// everything.
void draw_title(const std::string& name, const std::vector<std::string>& details, const std::string& tooltip);

// The index of the axes that a sheet of `exhibit` does not show: those of the first lit cell, or zeros.
Coord slice_of(const Scene& scene, const Exhibit& exhibit);

// The output that the cursor is about: its first lit cell of y.
Coord output_of(const Scene& scene);

// Makes the cell the cursor's, when the pointer has moved.
void point_at(Scene& scene, const std::string& tensor, const Coord& at);

// How many columns make `count` panes most nearly square, a little wider than high, with few places left empty.
int best_columns(int count, ImVec2 space);

// A child window that never scrolls, `size` large.
bool begin_pane(const char* id, ImVec2 size, bool framed = true);

}  // namespace convlens::viewer
