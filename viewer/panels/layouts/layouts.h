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
};

Arrangement grids_arrangement();  // all tensors side by side

// One tensor, titled, as a grid that can be pointed at; `size` is that of the whole pane.
void draw_exhibit(Scene& scene, const Exhibit& exhibit, ImVec2 size);

// The index of the axes that a sheet of `exhibit` does not show: those of the first lit cell, or zeros.
Coord slice_of(const Scene& scene, const Exhibit& exhibit);

}  // namespace convlens::viewer
