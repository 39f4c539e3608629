// What the spectra of the FFT rows hold, by the definition: tiles and phases as kernels/fft/fft_axis.cuh draws them,
// and the discrete Fourier transform of what is in one, bin by bin.
#pragma once

#include <complex>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/fft/fft_spectra.h"

namespace convlens::testing {

// One axis: position q of phase a in tile t is input element t·per_tile·stride + q·step + a − pad, and tap (q·step +
// a)/dilation of the filter.
struct SpectrumSide {
  std::int64_t size, outputs, taps, stride, dilation, pad, points, step;

  std::int64_t filter_span() const { return (taps - 1) * dilation + 1; }
  std::int64_t phases() const { return std::min(step, filter_span()); }
  std::int64_t per_tile() const {
    const std::int64_t extent = (filter_span() - 1) / step + 1, keep = stride / step;
    return std::min(outputs, (points - extent) / keep + 1);
  }
  // The input element there, where it is one that an output of the tile reads; −1 where not.
  std::int64_t element(std::int64_t tile, std::int64_t a, std::int64_t q) const {
    const std::int64_t at = tile * per_tile() * stride + q * step + a - pad;
    if (at < 0 || at >= size) return -1;
    for (std::int64_t k = tile * per_tile(); k < std::min(outputs, (tile + 1) * per_tile()); ++k)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        if (k * stride + tap * dilation - pad == at) return at;
    return -1;
  }
  std::int64_t tap(std::int64_t a, std::int64_t q) const {
    const std::int64_t at = q * step + a;
    return at % dilation == 0 && at / dilation < taps ? at / dilation : -1;
  }
};

// Of a plan, given the elements of x and w.
struct SpectraDefinition {
  using Element = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
  using Complex = std::complex<double>;

  const ConvProblem p;
  Element element_of_x, element_of_w;
  SpectrumSide rows, columns;
  std::vector<std::pair<std::int64_t, std::int64_t>> bins;  // kept, in order; of rows with the axes k and l none

  SpectraDefinition(const Plan& plan, Element x, Element w)
      : p(plan.problem()), element_of_x(std::move(x)), element_of_w(std::move(w)) {
    const std::vector<Axis>& axes = plan.stages()[0].axes;
    const ConvSpec& spec = p.spec();
    const bool by_k_and_l = axes.back().name == "l";
    std::int64_t height = axes[4].extent, width = 2 * (axes.back().extent - 1);
    if (!by_k_and_l) {
      const gpu::Spectra spectra = gpu::spectra_of(plan.request());
      height = spectra.rows.points, width = spectra.columns.points;
    }
    const bool phases = !by_k_and_l && plan.request().options.is("stride", "phases");
    rows = {p.hi(), p.ho(), p.hf(), spec.stride_h, spec.dilation_h, spec.pad_top, height, phases ? spec.stride_h : 1};
    columns = {p.wi(),          p.wo(),        p.wf(), spec.stride_w,
               spec.dilation_w, spec.pad_left, width,  phases ? spec.stride_w : 1};
    if (by_k_and_l) return;
    const auto row = [&](std::int64_t k, std::int64_t count) {
      for (std::int64_t l = 0; l < count; ++l) bins.emplace_back(k, l);
    };
    if (gpu::own_transforms(plan.request())) {
      row(0, width / 2 + 1), row(height / 2, width / 2 + 1);
      for (std::int64_t k = 1; k < height / 2; ++k) row(k, width);
    } else {
      for (std::int64_t k = 0; k < height; ++k) row(k, width / 2 + 1);
    }
  }

  Complex root(std::int64_t k, std::int64_t l, std::int64_t q, std::int64_t r) const {
    const double turns = static_cast<double>(k * q % rows.points) / static_cast<double>(rows.points) +
                         static_cast<double>(l * r % columns.points) / static_cast<double>(columns.points);
    return std::polar(1.0, -2 * std::numbers::pi * turns);
  }

  // Σ value(q, r) · root, of those positions that `value` has.
  template <class Value>
  Complex transform(std::int64_t k, std::int64_t l, const Value& value) const {
    Complex sum = 0;
    for (std::int64_t q = 0; q < rows.points; ++q)
      for (std::int64_t r = 0; r < columns.points; ++r)
        if (const std::optional<double> there = value(q, r)) sum += *there * root(k, l, q, r);
    return sum;
  }
  Complex x(std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t i, std::int64_t j, std::int64_t k,
            std::int64_t l) const {
    return transform(k, l, [&](std::int64_t q, std::int64_t r) -> std::optional<double> {
      const std::int64_t h = rows.element(i, f / columns.phases(), q), w = columns.element(j, f % columns.phases(), r);
      if (h < 0 || w < 0) return std::nullopt;
      return element_of_x(n, c, h, w);
    });
  }
  Complex w(std::int64_t o, std::int64_t c, std::int64_t f, std::int64_t k, std::int64_t l) const {
    return transform(k, l, [&](std::int64_t q, std::int64_t r) -> std::optional<double> {
      const std::int64_t u = rows.tap(f / columns.phases(), q), v = columns.tap(f % columns.phases(), r);
      if (u < 0 || v < 0) return std::nullopt;
      return element_of_w(o, c, u, v);
    });
  }

  // Of a cell by the names of its axes.
  Complex of(const Stage& stage, const Coord& cell) const {
    std::map<std::string, std::int64_t> at;
    for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) at[stage.axes[axis].name] = cell[axis];
    const auto [k, l] = at.contains("b") ? bins[static_cast<std::size_t>(at["b"])] : std::pair(at["k"], at["l"]);
    if (stage.made_from.front() == kInput) return x(at["n"], at["c"], at["f"], at["i"], at["j"], k, l);
    if (stage.made_from.front() == kFilter) return w(at["o"], at["c"], at["f"], k, l);
    const std::int64_t first = p.group_of_output(at["o"]) * p.ci_per_group();
    Complex sum = 0;
    for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
      for (std::int64_t f = 0; f < rows.phases() * columns.phases(); ++f)
        sum += x(at["n"], first + c, f, at["i"], at["j"], k, l) * std::conj(w(at["o"], c, f, k, l));
    return sum;
  }
};

}  // namespace convlens::testing
