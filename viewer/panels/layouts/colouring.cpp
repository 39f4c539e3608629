#include "viewer/panels/layouts/colouring.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/ui/theme.h"

namespace convlens::viewer {

std::uint32_t Colouring::operator()(const Coord& cell) const {
  if (exhibit->role == Role::stage) {
    const SourceKind kind = model->stage(*exhibit).map->source(cell).kind;
    if (kind == SourceKind::zero_padding) return palette().padding;
    if (kind == SourceKind::alignment_padding) return palette().alignment;
  }
  if (exhibit->role == Role::blocks && !model->element_of_block(cell)) return palette().padding;
  if (in_colours()) return true_colour(cell);
  const std::complex<double> value = values->at(*exhibit, cell);
  if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return palette().nan;
  if (grey()) return viewer::grey(value.real());
  if (phase) return no_phase(cell, value) ? viewer::grey(0.5) : cyclic(std::arg(value));
  const double largest = values->largest(*exhibit, cell);
  // Four decades: beside the sum of a photograph's pixels its other bins are a hundredth and less.
  constexpr double kDecades = 1e4;
  if (exhibit->complex) return viridis(std::log1p(kDecades * std::abs(value) / largest) / std::log1p(kDecades));
  return diverging(std::copysign(std::sqrt(std::abs(value.real()) / largest), value.real()));
}

std::uint32_t Colouring::mean(const Sheet& sheet, double row, double column, double side) const {
  constexpr double kMostAcross = 4;
  const auto cell = [](double at) { return static_cast<std::int64_t>(at); };
  constexpr double kLeast = 1e-6;  // rounding may put the last pixel's cells just beyond the sheet
  const auto rows = static_cast<double>(sheet.rows()), columns = static_cast<double>(sheet.columns());
  row = std::min(row, rows - kLeast), column = std::min(column, columns - kLeast);
  if (side > kMostAcross) return (*this)(sheet.cell(cell(row), cell(column)));
  const double bottom = std::min(row + side, rows), right = std::min(column + side, columns);
  std::array<double, 3> sum{};
  for (double y = row; y < bottom; y = std::floor(y) + 1)
    for (double x = column; x < right; x = std::floor(x) + 1) {
      const double part = (std::min(bottom, std::floor(y) + 1) - y) * (std::min(right, std::floor(x) + 1) - x);
      const std::uint32_t colour = (*this)(sheet.cell(cell(y), cell(x)));
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += part * (colour >> (8 * k) & 255);
    }
  std::uint32_t mean = 0xff000000u;
  const double area = (bottom - row) * (right - column);
  for (std::size_t k = 0; k < sum.size(); ++k)
    mean |= static_cast<std::uint32_t>(std::lround(sum[k] / area)) << (8 * k);
  return mean;
}

std::uint32_t Colouring::true_colour(Coord cell) const {
  std::uint32_t colour = 0xff000000u;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    cell[1] = static_cast<std::int64_t>(channel);
    const double value = values->at(*exhibit, cell).real();
    if (!std::isfinite(value)) return palette().nan;
    colour |= static_cast<std::uint32_t>(std::lround(255 * std::clamp(value, 0.0, 1.0))) << (8 * channel);
  }
  return colour;
}

bool Colouring::no_phase(const Coord& cell, std::complex<double> value) const {
  return std::abs(value) <= values->roundoff(*exhibit, cell);
}

const char* Colouring::words() const {
  if (in_colours()) return "in the picture's colours: its channels are red, green and blue; bright pink is not finite";
  if (grey()) return "black is 0, white is 1; bright pink is not finite";
  if (exhibit->complex)
    return "first the magnitude, dark to light by its logarithm; then the phase: bright at 0, red at a quarter turn, "
           "dark at half a turn, blue at minus a quarter, grey where the magnitude is rounding alone; bright pink is "
           "not "
           "finite";
  return "blue is negative, red positive; strong as the square root of the value over the tensor's largest; bright "
         "pink "
         "is not finite";
}

}  // namespace convlens::viewer
