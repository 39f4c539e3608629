// What it takes to look at a tensor: how many steps the values of its cells cost, a step being the reading of an
// element, one product of a sum, or one butterfly of a Fourier transform; some nanoseconds each.
//
//   x, w       1                        y              (C_i/groups)·H_f·W_f
//   copies     1 + that of the element  combinations   Σ of their elements
//   spectra    P·log₂P, shared by all cells of one tile of P points
//   products   Σ of both parts, over channels
//
// From it follows, before anything is computed, how finely a picture can be painted, or why it cannot be.
#pragma once

#include <cstdint>
#include <string>

namespace convlens::viewer {

class Model;
struct Exhibit;
class Sheet;

struct Effort {
  double each = 1;                     // steps of every cell
  double tile = 0;                     // steps of the spectra behind a cell, shared by all cells of its tile
  double spectra = 0;                  // how many those are
  double tile_bytes = 0;               // all of them together
  std::int64_t height = 0, width = 0;  // points of one of them
};

// Of any exhibit of the model, by its cells with the lowest, middle and highest index.
Effort effort_of(const Model& model, const Exhibit& exhibit);

inline constexpr double kMostSteps = 1 << 30;       // of one picture: seconds
inline constexpr double kKeptSpectraBytes = 384e6;  // of spectra that are kept (values.h)

// How many tiles' spectra lie under a part of a sheet with so many cells; 1 where cells have none.
double tiles_under(const Exhibit& exhibit, const Sheet& sheet, double cells);

// The finest grain, 1, 2, 4 or 8 pixels, in which a picture of that many pixels can be painted that shows cells of so
// many tiles; 0 where none is coarse enough.
int grain_of(const Effort& effort, double pixels, double tiles);

// Why not even one cell is computed, "" where it is: "a cell takes 128 transforms of 4096 × 4096 points".
std::string too_much(const Effort& effort);

// The run that cuts the image into tiles of the same transform, which are short; "" where `run` has no such option, or
// has it set.
std::string in_tiles(const std::string& run);

}  // namespace convlens::viewer
