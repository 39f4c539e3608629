#include "algorithms/fft/transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "algorithms/error.h"

#ifdef CONVLENS_WITH_KISSFFT
#include <kissfft.hh>
#endif

namespace convlens::fft {

namespace {

// The smallest 2^a·3^b·5^c ≥ n.
std::int64_t smooth(std::int64_t n) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 58;  // so that nothing below overflows
  if (n > kLongest) throw Unsupported("transform length: " + std::to_string(n) + ", overflows 64 bits");
  std::int64_t best = 2 * kLongest;
  for (std::int64_t fives = 1; fives < best; fives *= 5)
    for (std::int64_t threes = fives; threes < best; threes *= 3) {
      std::int64_t length = threes;
      while (length < n) length *= 2;
      best = std::min(best, length);
    }
  return best;
}

}  // namespace

std::int64_t good_height(std::int64_t n) { return smooth(std::max<std::int64_t>(n, 2)); }
std::int64_t good_width(std::int64_t n) { return 2 * smooth(std::max<std::int64_t>((n + 1) / 2, 2)); }

double Lengths::log2_points() const { return std::log2(static_cast<double>(h)) + std::log2(static_cast<double>(w)); }

#ifdef CONVLENS_WITH_KISSFFT

bool available() { return true; }

template <class Real>
struct RealTransform2D<Real>::Tables {
  kissfft<Real> row_forward, row_inverse, column_forward, column_inverse;
  std::vector<Complex> turn;  // e^{−2πi·l/W}, 0 ≤ l ≤ W/2

  explicit Tables(const Lengths& n)
      : row_forward(static_cast<std::size_t>(n.w / 2), false),
        row_inverse(static_cast<std::size_t>(n.w / 2), true),
        column_forward(static_cast<std::size_t>(n.h), false),
        column_inverse(static_cast<std::size_t>(n.h), true) {
    for (std::int64_t l = 0; l < n.half(); ++l) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(l) / static_cast<double>(n.w);
      turn.push_back(Complex(std::polar(1.0, angle)));
    }
  }
};

template <class Real>
void RealTransform2D<Real>::forward(Complex* tile, std::int64_t rows, Complex* spectrum) const {
  const std::int64_t half = lengths_.half(), last = half - 1;
  Complex* const line = tile + lengths_.bins();

  for (std::int64_t h = 0; h < rows; ++h) {
    Complex* const row = tile + h * half;
    tables_->row_forward.transform(row, line);  // Z = E + i·O, the spectra of the even and the odd elements
    line[last] = line[0];
    for (std::int64_t l = 0; l <= last; ++l) {
      const Complex mirror = std::conj(line[last - l]);
      const Complex even = line[l] + mirror, odd = line[l] - mirror;  // 2·E and 2i·O
      row[l] = (even + tables_->turn[static_cast<std::size_t>(l)] * Complex(odd.imag(), -odd.real())) * Real(0.5);
    }
  }
  std::fill(tile + rows * half, tile + lengths_.bins(), Complex(0));
  const auto step = static_cast<std::size_t>(half);  // from one element of a column to the next
  for (std::int64_t l = 0; l < half; ++l)
    tables_->column_forward.transform(tile + l, spectrum + l * lengths_.h, 0, 1, step);
}

template <class Real>
void RealTransform2D<Real>::inverse(const Complex* spectrum, Complex* tile, std::int64_t rows,
                                    std::int64_t step) const {
  const std::int64_t half = lengths_.half(), last = half - 1;
  Complex* const line = tile + lengths_.bins();

  for (std::int64_t l = 0; l < half; ++l) {
    tables_->column_inverse.transform(spectrum + l * lengths_.h, line);
    for (std::int64_t r = 0; r < rows; ++r) tile[r * step * half + l] = line[r * step];
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    Complex* const row = tile + r * step * half;
    for (std::int64_t l = 0; l < last; ++l) {
      const Complex mirror = std::conj(row[last - l]);
      const Complex turn_back = std::conj(tables_->turn[static_cast<std::size_t>(l)]);
      const Complex even = row[l] + mirror, odd = (row[l] - mirror) * turn_back;  // 2·E and 2·O
      line[l] = even + Complex(-odd.imag(), odd.real());                          // 2·(E + i·O)
    }
    tables_->row_inverse.transform(line, row);
  }
}

#else

bool available() { return false; }

template <class Real>
struct RealTransform2D<Real>::Tables {
  explicit Tables(const Lengths&) { throw Unsupported("fft: built without KissFFT"); }
};

template <class Real>
void RealTransform2D<Real>::forward(Complex*, std::int64_t, Complex*) const {}
template <class Real>
void RealTransform2D<Real>::inverse(const Complex*, Complex*, std::int64_t, std::int64_t) const {}

#endif

template <class Real>
RealTransform2D<Real>::RealTransform2D(const Lengths& lengths)
    : lengths_(lengths), tables_(std::make_unique<const Tables>(lengths)) {}
template <class Real>
RealTransform2D<Real>::~RealTransform2D() = default;

template class RealTransform2D<float>;
template class RealTransform2D<double>;

}  // namespace convlens::fft
