// The discrete Fourier transform of real P × P tiles, P = 8, 16 or 32, and its inverse, a vector of channels at a time.
//
//   X(k, l) = Σ_{h, w} x(h, w) · e^{−2πi·(k·h + l·w)/P}      0 ≤ k < P,  0 ≤ l ≤ P/2
//
// as transform.h has it for one channel. Every element is a pointer to its channels, so that tiles are read where they
// lie in a picture and written where they go. Two rows of a tile are transformed as one of complex numbers a + i·b, and
// told apart by the symmetry that spectra of real rows have (Press et al., "Numerical Recipes", §12.3).
#pragma once

#include <cstdint>

namespace convlens::fft {

inline constexpr std::int64_t kLongestTile = 32;

// Bins are numbered k·(P/2 + 1) + l.
constexpr std::int64_t bins_of(std::int64_t length) { return length * (length / 2 + 1); }

// What one call reads and writes.
struct ForwardTiles {
  const float* const* in = nullptr;  // [rows · columns]: the elements, from (0, 0) on; null is zero, as are all others
  std::int64_t in_offset = 0;        // added to those that are not null, in floats
  std::int64_t rows = 0, columns = 0;  // at most P
  float* out = nullptr;                // real parts of bin 0
  std::int64_t bin_step = 0;           // from one bin to the next, in floats
  std::int64_t imaginary = 0;          // from the real parts to the imaginary ones
  float* negated = nullptr;            // where the real parts are written once more, negated, or null
  std::int64_t negated_step = 0;
  std::int64_t channels = 0;
};

struct InverseTiles {
  const float* in = nullptr;  // real parts of bin 0
  std::int64_t bin_step = 0, imaginary = 0;
  float* const* out = nullptr;  // [rows · columns]: the elements (r·step_h, s·step_w) of the tile are made
  std::int64_t rows = 0, columns = 0;
  std::int64_t step_h = 1, step_w = 1;
  const float* add = nullptr;  // [channels], added to each
  std::int64_t channels = 0;
};

// Tiles of `length` × `length`. With vectors, or one number at a time.
void forward(std::int64_t length, const ForwardTiles& tiles, bool vectors);
void inverse(std::int64_t length, const InverseTiles& tiles, bool vectors);

}  // namespace convlens::fft
