// The discrete Fourier transform of a real H × W tile, and its inverse, on KissFFT.
//
//   X(k, l) = Σ_{h, w} x(h, w) · e^{−2πi·(k·h/H + l·w/W)}      0 ≤ k < H,  0 ≤ l ≤ W/2
//
// Half of the bins are enough: those of a real tile repeat as X(H−k, W−l) = conj X(k, l). A row of W reals is
// transformed as W/2 complex numbers x(2j) + i·x(2j+1) and then untangled (Press et al., "Numerical Recipes", §12.3).
//
// Both lengths must be products of 2, 3 and 5: for other factors, and for a single point, KissFFT keeps scratch memory
// in the transform object, which could then not be shared by threads. W must be even besides.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>

namespace convlens::fft {

// Whether this build has KissFFT. Without it the constructor of RealTransform2D throws Unsupported.
bool available();

// The shortest length ≥ n that is good for H, and for W, of a transform: at least 2, and 4.
// Throw Unsupported when the length overflows 64 bits.
std::int64_t good_height(std::int64_t n);
std::int64_t good_width(std::int64_t n);

// The sizes of a transform and of the memory that it works in, in complex numbers; known in every build.
struct Lengths {
  std::int64_t h = 2, w = 4;

  std::int64_t points() const { return h * w; }
  std::int64_t half() const { return w / 2 + 1; }                           // columns of the half spectrum
  std::int64_t bins() const { return h * half(); }                          // of a half spectrum
  std::int64_t pitch() const { return 2 * half(); }                         // reals from one row of a tile to the next
  std::int64_t tile() const { return bins() + (h > half() ? h : half()); }  // of a tile, a line of scratch behind it
  double log2_points() const;
};

// Immutable: one object may be used by any number of threads, each with a tile of its own.
//
// A spectrum is Lengths::bins() complex numbers, bin (k, l) at l·H + k: columns are contiguous.
// A tile is Lengths::tile() complex numbers, seen as reals with element (h, w) at h·pitch + w: a row's half spectrum
// takes the place of the row.
template <class Real>
class RealTransform2D {
 public:
  using Complex = std::complex<Real>;

  explicit RealTransform2D(const Lengths& lengths);
  ~RealTransform2D();

  // The spectrum of `tile`, of which only the first `rows` rows are read: the others count as zero. Destroys the tile.
  void forward(Complex* tile, std::int64_t rows, Complex* spectrum) const;

  // H·W times the inverse transform; of the tile only the rows 0, step, …, (rows − 1)·step are made.
  void inverse(const Complex* spectrum, Complex* tile, std::int64_t rows, std::int64_t step) const;

 private:
  struct Tables;
  Lengths lengths_;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace convlens::fft
