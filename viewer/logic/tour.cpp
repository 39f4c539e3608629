#include "viewer/logic/tour.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"

namespace convlens::viewer {

namespace {

// The first row of a family on a unit.
std::string row_of(const std::string& family, Unit unit = Unit::cpu) {
  for (const Algorithm* row : algorithms())
    if (row->family == family && row->unit == unit) return row->id;
  throw BadInput("tour: no row of the family " + family);
}

// One row's tensors.
void show_grids(State& state, const std::string& family) {
  state.arrangement = "grids";
  state.runs = {row_of(family)};
}

}  // namespace

const std::vector<TourStep>& tour() {
  static const std::vector<TourStep> steps{
      {"A photograph under a window",
       "This is the input x, one channel of its 64. The outlined square is a window as large as the filter: the pixels "
       "in it, in all channels, each times its weight, are added up and make one number. Move the pointer over the "
       "output y: the window follows.",
       [](State& s) { show_grids(s, "direct"); }, "x"},
      {"One number of the output",
       "The lines at the bottom say what the cell under the pointer is: its value, where it lies in memory, and the "
       "sum that it comes from. This sum, for every cell of y, is all that a convolution is. direct.ref computes it "
       "just so.",
       [](State& s) { show_grids(s, "direct"); }, "status"},
      {"im2col: every window a row of a matrix",
       "One matrix product is fast, so im2col writes all windows under each other. What is lit in the matrix is the "
       "same window again. Windows overlap: most pixels are stored nine times. That is the price.",
       [](State& s) { show_grids(s, "im2col"); }, "/im2col"},
      {"im2win: windows that share their pixels",
       "im2win stores a row of windows as one strip, column by column. A window is nine cells of that strip in one "
       "piece, its neighbour the nine that begin three cells on: most pixels are stored three times instead of nine.",
       [](State& s) { show_grids(s, "im2win"); }, "/im2win"},
      {"Five algorithms, one result",
       "Winograd and FFT go further: they transform the picture, Winograd tile by tile and FFT here as a whole, so "
       "that fewer products are needed. Press space, and all five work side by side, each through its own tensors, "
       "until y is there.",
       [](State& s) { s.arrangement = "five", s.step = 0; }, "centre"},
      {"What each needs in memory",
       "Each bar is a row's tensors and workspace, buffer by buffer, with the formula and its numbers. Drag N to the "
       "right: im2col, with the matrix of all images at once, grows fastest, and each bar says how many images fit. "
       "Set its Batching to image on the left, and its matrix no longer grows with N.",
       [](State& s) {
         s.panel = "memory", s.spec.n = 64;
         std::ranges::replace(s.runs, row_of("im2col"), row_of("im2col") + ":batching=full");
       },
       "centre"},
      {"What each does to the numbers",
       "All compute the same sum, but round differently. The table holds every chosen row in every type against the "
       "direct sum in float64; the map shows where the errors are. In f32 Winograd with large tiles pays for its speed "
       "here: move m.",
       [](State& s) {
         s.panel = "numerics";
         s.runs = {row_of("direct"), row_of("im2win"), row_of("winograd"), row_of("winograd") + ":m=6", row_of("fft")};
         s.numerics.run = s.runs[3];
       },
       "centre"},
      {"What each optimisation is",
       "The CUDA kernel of im2win. Bright on green is what the options compile, grey what they leave out. Find "
       "im2win.cc on the left and set Index precomputation to off: its lines turn grey, and the registers change. To "
       "leave one optimisation out at a time and time what is left is called an ablation; "
       "`convlens bench cv9 --algorithm im2win.cc:index_precompute=off` is one such run, on a machine with a GPU.",
       [](State& s) {
         s.panel = "kernel";
         s.runs = {row_of("im2win", Unit::cc)};  // that the panel shows, with the options that it has on the left
       },
       "source"},
  };
  return steps;
}

const TourStep* tour_step(const State& state) {
  const auto steps = static_cast<std::int64_t>(tour().size());
  return state.tour < 1 || state.tour > steps ? nullptr : &tour()[static_cast<std::size_t>(state.tour - 1)];
}

State at_tour_step(const State& state, std::int64_t step) {
  State next = state;
  if (step > 0) {
    next = first_state();
    next.dark = state.dark, next.scale = state.scale;
    tour()[static_cast<std::size_t>(step - 1)].set(next);
  }
  next.tour = step;
  return next;
}

}  // namespace convlens::viewer
