#include "algorithms/worker/line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "algorithms/measure/ruler.h"

namespace convlens::worker {

namespace {

Timing last(const std::vector<double>& ms, std::size_t count) {
  return {.samples_ms = {ms.end() - static_cast<std::ptrdiff_t>(std::min(count, ms.size())), ms.end()}};
}

}  // namespace

double Line::median_ms(std::size_t window) const { return last(ms, window == 0 ? ms.size() : window).median_ms(); }

double Line::spread() const { return last(ms, kWindow).spread(); }

double Line::tflops() const { return convlens::tflops(flops, median_ms()); }

std::string rate_text(double tflops) {
  if (!std::isfinite(tflops)) return "n/a";
  constexpr const char* kUnits[]{" TFLOPS", " GFLOPS", " MFLOPS", " kFLOPS", " FLOPS"};
  double value = tflops;
  std::size_t unit = 0;
  // From where it would be rounded to 1000 of the smaller unit, the larger one.
  while (value > 0 && value < 0.9995 && unit + 1 < std::size(kUnits)) value *= 1e3, ++unit;
  char text[64];
  // Far beyond every machine digits say no more.
  const auto format = value < 1e9 ? std::chars_format::fixed : std::chars_format::scientific;
  const int places = value < 9.995 || value >= 1e9 ? 2 : value < 99.95 ? 1 : 0;
  const auto end = std::to_chars(text, text + sizeof text, value, format, places).ptr;
  return std::string(text, end) + kUnits[unit];
}

}  // namespace convlens::worker
