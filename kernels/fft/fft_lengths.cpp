#include "kernels/fft/fft_lengths.h"

#include <limits>

#include "algorithms/interface/window.h"

namespace convlens::gpu {

namespace {

SpectrumAxis axis(const WindowAxis& window, int points, bool by_phases) {
  const auto narrow = [](std::int64_t size) { return static_cast<int>(size); };
  const int stride = narrow(window.stride);
  return {narrow(window.size), narrow(window.outputs), narrow(window.taps), stride, narrow(window.dilation),
          narrow(window.pad),  points,                 by_phases ? stride : 1};
}

Spectra spectra(const Request& request, int points_h, int points_w) {
  const bool by_phases = request.options.is("stride", "phases");
  return {axis(WindowAxis::rows(request.problem), points_h, by_phases),
          axis(WindowAxis::columns(request.problem), points_w, by_phases),
          std::int64_t{points_h} * points_w / 2 + 2};
}

// What a tile length costs, in bytes moved: spectra are written and read once, and the product makes some ten FLOPs in
// the time in which a GPU's memory moves a byte.
double cost(const Request& request, const Spectra& s) {
  const ConvProblem& p = request.problem;
  const auto channels = static_cast<double>(p.ci_per_group() * s.phases()), outputs = static_cast<double>(p.co());
  const double tiles = static_cast<double>(p.n()) * static_cast<double>(s.tiles());
  const double product = 8 * channels * outputs / 10;
  const double moved = 16 * (channels * static_cast<double>(p.groups()) + outputs);
  return static_cast<double>(s.bins) * (tiles * (product + moved) + 16 * channels * outputs);
}

bool fits(const Spectra& s) {
  return s.rows.extent() <= s.rows.points && s.columns.extent() <= s.columns.points;
}

}  // namespace

bool filter_fits(const Request& request) {
  const int longest = request.options.is("tile", "best") ? 32 : static_cast<int>(request.options.integer("tile"));
  return fits(spectra(request, longest, longest));
}

Spectra spectra_of(const Request& request) {
  if (!request.options.is("tile", "best")) {
    const int points = static_cast<int>(request.options.integer("tile"));
    return spectra(request, points, points);
  }
  Spectra best = spectra(request, 32, 32);
  for (const int h : kLengths)
    for (const int w : kLengths)
      if (const Spectra s = spectra(request, h, w); fits(s) && cost(request, s) < cost(request, best)) best = s;
  return best;
}

}  // namespace convlens::gpu
