// F(m_h×m_w, H_f×W_f): one Cook–Toom algorithm an axis, nested.
//
//   Y = A_hᵀ [(G_h g G_wᵀ) ⊙ (B_hᵀ d B_w)] A_w        Y (m_h, m_w), g (H_f, W_f), d (n_h, n_w)
//
// The output is cut into tiles of m_h×m_w, the last of which may overhang; each needs n_h×n_w input elements,
// and neighbours share r − 1 of them. An axis along which the filter has one tap is left as it is: m = n = 1.
// Source: Lavin & Gray 2016 (arXiv 1509.09308), section 4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "algorithms/interface/request.h"
#include "algorithms/winograd/cook_toom.h"

namespace convlens {

// How one axis is cut into tiles.
struct TileAxis {
  std::int64_t size = 0;      // input elements, without padding
  std::int64_t outputs = 0;   // output elements
  std::int64_t pad = 0;       // zeros before the input
  std::int64_t m = 1, r = 1;  // outputs of a tile, taps of the filter

  std::int64_t n() const { return m + r - 1; }  // input elements of a tile
  std::int64_t tiles() const { return (outputs + m - 1) / m; }
  std::int64_t first_input(std::int64_t tile) const { return tile * m - pad; }
  bool inside(std::int64_t input) const { return input >= 0 && input < size; }

  // The outputs of `tile` that exist: m, but for the last tile.
  std::int64_t kept(std::int64_t tile) const { return std::min(m, outputs - tile * m); }
};

// What the options make of a layer: its tiles, and the matrices along each axis.
struct Nested {
  TileAxis rows, columns;
  CookToom h, w;  // exact, as published

  // V and U are stored times 2^v_exponent and 2^u_exponent, which are ≤ 0, and 0 unless they are stored in a
  // short type: the sums of |coefficients| then stay ≤ 1, so that no finite f16 input can overflow. Powers of two
  // cost no accuracy; they are part of scaled_h, which stands for h wherever numbers are computed, and which
  // undoes them in A.
  int v_exponent = 0, u_exponent = 0;
  CookToom scaled_h;

  std::int64_t tiles() const { return rows.tiles() * columns.tiles(); }  // of one image
  std::int64_t products() const { return rows.n() * columns.n(); }       // of one tile and channel

  // The smallest sums of |coefficients| of the scaled transforms, as exponents of two: how small data of size
  // 1 may become.
  int smallest_v() const;
  int smallest_u() const;

  std::string name() const;    // "F(2x2,3x3)"
  std::string points() const;  // "points 0 1 -1 inf"
};

std::string size_text(std::int64_t h, std::int64_t w);  // "3x3"

// What V and U are stored in: the accumulator's type or, with stored=tensor, the tensors' own.
DType stored_type(const Request& request);

// The tile axes that the options of `request` ask for.
TileAxis tile_rows(const Request& request);
TileAxis tile_columns(const Request& request);

// Throws BadInput for the wrong number of points, Unsupported when the coefficients are no numbers of single
// precision over a common denominator.
Nested nest(const Request& request);

}  // namespace convlens
