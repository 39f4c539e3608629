#include "viewer/logic/tour.h"

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
       "This is the input x, one channel of it. The outlined square is a window as large as the filter: the pixels in "
       "it, "
       "each times its weight, are added up and make one number. Move the pointer over the output y: the window "
       "follows.",
       [](State& s) { show_grids(s, "direct"); }, "x"},
      {"One number of the output",
       "The lines at the bottom say what the cell under the pointer is: its value, where it lies in memory, and the "
       "sum "
       "that it comes from. This sum, for every cell of y, is all that a convolution is. direct.ref computes it just "
       "so.",
       [](State& s) { show_grids(s, "direct"); }, "status"},
      {"im2col: every window a row of a matrix",
       "One matrix product is fast, so im2col writes all windows under each other. What is lit in the matrix is the "
       "same "
       "window again. Windows overlap: most pixels are stored nine times. That is the price.",
       [](State& s) { show_grids(s, "im2col"); }, "/im2col"},
      {"im2win: windows that share their pixels",
       "im2win stores a row of windows as one strip, column by column. A window is a piece of that strip, and its "
       "neighbour is the same piece a few cells on: each pixel is stored three times instead of nine.",
       [](State& s) { show_grids(s, "im2win"); }, "/im2win"},
      {"Five algorithms, one result",
       "Winograd and FFT go further: they transform tiles of the picture, so that fewer products are needed. Press "
       "space, "
       "and all five work side by side, each through its own tensors, until y is there.",
       [](State& s) { s.arrangement = "five", s.step = 0; }, "centre"},
      {"What each needs in memory",
       "Each bar is a row's tensors and workspace, buffer by buffer, with the formula and its numbers. Drag N to the "
       "right: the memory of im2col grows fastest, and says with how many images it is full.",
       [](State& s) { s.panel = "memory", s.spec.n = 64; }, "centre"},
      {"What each does to the numbers",
       "All compute the same sum, but round differently. The table holds every row in every type against the exact "
       "answer; the map shows where the errors are. Winograd with large tiles pays for its speed here: move m.",
       [](State& s) {
         s.panel = "numerics";
         s.runs = {row_of("direct"), row_of("im2win"), row_of("winograd"), row_of("winograd") + ":m=6", row_of("fft")};
         s.numerics.run = s.runs[3];
       },
       "centre"},
      {"What each optimisation is",
       "The CUDA kernel of im2win. Bright on green is what the options compile, grey what they leave out. Find "
       "im2win.cc "
       "on the left and switch index_precompute off: its lines turn grey, and the registers change. To leave one "
       "optimisation out at a time and time what is left is called an ablation; "
       "`convlens bench im2win.cc:index_precompute=off` is one such run.",
       [](State& s) {
         s.panel = "kernel";
         s.runs = {row_of("im2win", Unit::cc)};
         s.kernel.run = s.runs.front();
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
