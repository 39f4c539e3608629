// How the values of a tensor become colours: of one cell, and of all that share a pixel.
#pragma once

#include <complex>
#include <memory>

#include "viewer/logic/sheet.h"
#include "viewer/logic/values.h"

namespace convlens::viewer {

// Owns what it reads: it is asked in the background.
struct Colouring {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Values> values;
  const Exhibit* exhibit;
  bool picture;           // values of x are those of a picture
  std::uint32_t nothing;  // the colour where a sheet has no cell
  bool phase = false;     // of complex values, instead of their magnitude

  std::uint32_t operator()(const Coord& cell) const;
  std::uint32_t operator()(const std::optional<Coord>& cell) const { return cell ? (*this)(*cell) : nothing; }

  // Of the cells from (row, column) on that share a pixel, `side` down and across, so that regular patterns stay what
  // they are; the first one's where they are many.
  std::uint32_t mean(const Sheet& sheet, double row, double column, double side) const;

  // Whether the cell's magnitude is rounding alone.
  bool no_phase(const Coord& cell, std::complex<double> value) const;

  const char* words() const;  // what the colours mean

 private:
  bool in_colours() const { return picture && exhibit->role == Role::input && exhibit->axes[1].extent == 3; }
  bool grey() const { return picture && (exhibit->role == Role::input || exhibit->made_of_elements); }
  std::uint32_t true_colour(Coord cell) const;
};

}  // namespace convlens::viewer
