#include "algorithms/worker/line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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
  const bool giga = tflops < 1;
  const double value = giga ? 1e3 * tflops : tflops;
  char text[64];
  // Far beyond every machine digits say no more.
  const auto format = value < 1e9 ? std::chars_format::fixed : std::chars_format::scientific;
  const int places = value < 10 || value >= 1e9 ? 2 : value < 100 ? 1 : 0;
  const auto end = std::to_chars(text, text + sizeof text, value, format, places).ptr;
  return std::string(text, end) + (giga ? " GFLOPS" : " TFLOPS");
}

}  // namespace convlens::worker
