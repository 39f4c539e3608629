// The Numerics panel: what rounding does in each chosen row and each type, against the oracle. Its parts, one file
// each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "viewer/logic/numerics.h"
#include "viewer/ui/scene.h"

namespace convlens::viewer {

// All that one frame shows: the rows down, the types across. What isn't computed yet is null, or of the settings
// before.
struct NumericsTable {
  Specimen specimen;
  std::vector<std::string> runs;
  std::vector<std::vector<std::shared_ptr<const Numerics>>> cells;  // by run, then in the order of kDTypes
  std::size_t run = 0, dtype = 0;                                   // the cell in front

  const std::shared_ptr<const Numerics>& front() const { return cells[run][dtype]; }
  bool computed() const { return !runs.empty() && front() != nullptr && front()->computed(); }
};

void draw_numerics_controls(Scene& scene, const NumericsTable& table);
void draw_verdicts(Scene& scene, const NumericsTable& table);                // a click brings a cell to the front
void draw_error_map(Scene& scene, const NumericsTable& table, ImVec2 size);  // a click chooses an element
void draw_error_histogram(Scene& scene, const NumericsTable& table, ImVec2 size);
void draw_element(Scene& scene, const NumericsTable& table);  // the terms of that element
void draw_points(Scene& scene, const NumericsTable& table);   // F(m, r): m, points, matrices

// The channel of y that the map shows: the state's, or the last that the piece of the layer has.
std::int64_t shown_channel(const State& state, const NumericsTable& table);

// The output whose terms are listed: the state's, moved into the tensor, or the worst.
Shape shown_element(const State& state, const NumericsTable& table);

}  // namespace convlens::viewer
