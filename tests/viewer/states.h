// States of small layers, and what the viewer's logic makes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/problem/layers.h"
#include "tests/support/boxes.h"
#include "tests/support/random_problems.h"
#include "tests/support/rows.h"
#include "viewer/logic/model.h"
#include "viewer/logic/values.h"

namespace convlens::testing {

// The first state with another layer and other rows, of random numbers.
inline viewer::State state_of(const ConvSpec& spec, std::vector<std::string> runs) {
  viewer::State state = viewer::first_state();
  state.layer = "";
  state.spec = spec;
  state.runs = std::move(runs);
  state.picture = "random";
  state.cursor = {};
  state.arrangement = "grids";
  return state;
}

// cv9 with so many images, and this run in front of the Performance panel.
inline viewer::State measuring(const std::string& run, std::int64_t batch = 1) {
  viewer::State state = viewer::first_state();
  state.layer = "cv9";
  state.spec = find_layer("cv9").spec;
  state.spec.n = batch;
  state.performance.run = run;
  return state;
}

// Every way to compute that can be planned here, those for a GPU included, whether or not there is one.
inline std::vector<std::string> all_runs() {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.push_back(variant.name());
  for (const Algorithm* row : gpu_rows()) names.push_back(row->id);
  return names;
}

inline Box whole(const viewer::Exhibit& exhibit) {
  Box box;
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) box.extent[axis] = exhibit.axes[axis].extent;
  return box;
}

// One cell of a tensor that has any, drawn by (seed, number).
inline Coord some_cell(const viewer::Exhibit& exhibit, std::uint64_t seed, std::uint64_t number) {
  Coord at{};
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
    at[axis] = random_integer(seed, number * 8 + axis, 0, exhibit.axes[axis].extent - 1);
  return at;
}

}  // namespace convlens::testing
