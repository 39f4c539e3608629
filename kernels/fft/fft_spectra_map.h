// The three tensors of fft.cc, and what their cells are made of. They are those of algorithms/fft/fft_map.h, with the
// phases of a stride (fft_axis.cuh) as an axis of their own, and the bins that are kept of a spectrum as one axis.
//
//   X̂(n, c, f, i, j, b)  bin b of phase f of tile (i, j) of x(n, c)      depends on all of the phase that is read
//   Ŵ(o, c, f, b)        bin b of phase f of the filter w(o, c)          depends on the phase's taps
//   Ŷ(n, o, i, j, b)     = Σ_{c, f} X̂(n, c, f, i, j, b) · conj Ŵ(o, c, f, b)
//
// For tensor cores the filter's bin is written as the entries of a real matrix, Ŵ(o, c, f, b, e) (fft_store.cuh): the
// two rows (c, −d) and (d, c), or c, c + d and c − d; the products of these three are then Ŷ(n, o, i, j, b, e).
//
// with f = f_h · (phases along a row) + f_w.
#pragma once

#include <algorithm>

#include "algorithms/interface/index_map.h"
#include "kernels/fft/fft_spectra.h"

namespace convlens::gpu {

// Calls emit(first, count) for every unbroken run among 0 … size − 1 of what `made` says yes to.
template <class Made, class Emit>
void runs(std::int64_t size, const Made& made, Emit&& emit) {
  for (std::int64_t first = 0; first < size; ++first) {
    std::int64_t end = first;
    while (end < size && made(end)) ++end;
    if (end > first) emit(first, end - first);
    first = end;
  }
}

// What a phase of a tile holds of an axis: calls emit(first, count) for runs of elements of the image.
template <class Emit>
void elements_of(const SpectrumAxis& axis, std::int64_t tile, std::int64_t phase, Emit&& emit) {
  const int t = static_cast<int>(tile), a = static_cast<int>(phase), first = axis.input(t, a, 0);
  if (axis.step == 1 && !axis.has_gaps()) {  // one run, with no need to ask for each element
    const int end = std::min(axis.points, (axis.outputs_of(t) - 1) * axis.stride + axis.taps);
    const int begin = std::max(0, first), last = std::min(axis.size, first + end);
    if (last > begin) emit(std::int64_t{begin}, std::int64_t{last} - begin);
    return;
  }
  const auto holds = [&](std::int64_t offset) {  // from the tile's first element
    const std::int64_t input = first + offset;
    return offset % axis.step == 0 && input >= 0 && input < axis.size &&
           axis.reads(t, a, static_cast<int>(offset / axis.step));
  };
  runs(std::int64_t{axis.points} * axis.step, holds,
       [&](std::int64_t at, std::int64_t count) { emit(first + at, count); });
}

// Calls visit(tile, phase) wherever the element of the image is held.
template <class Visit>
void holders_of(const SpectrumAxis& axis, std::int64_t element, Visit&& visit) {
  for (int tile = 0; tile < axis.tiles(); ++tile)
    for (int phase = 0; phase < axis.phases(); ++phase) {
      const std::int64_t offset = element - axis.input(tile, phase, 0);
      if (offset < 0 || offset % axis.step != 0 || offset / axis.step >= axis.points) continue;
      if (axis.reads(tile, phase, static_cast<int>(offset / axis.step))) visit(tile, phase);
    }
}

struct InputSpectraMap {
  SpectrumAxis rows, columns;
  std::int64_t bins = 0, ci_per_group = 1, co_per_group = 1;

  InputSpectraMap(const ConvProblem& p, const Spectra& s)
      : rows(s.rows),
        columns(s.columns),
        bins(s.bins),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [n, c, f, i, j, b] = cell;
    SourceKind kind = SourceKind::zero_padding;
    elements_of(rows, i, f / columns.phases(), [&](std::int64_t h, std::int64_t height) {
      elements_of(columns, j, f % columns.phases(), [&](std::int64_t w, std::int64_t width) {
        kind = SourceKind::region;
        emit(Term{kInput, {{n, c, h, w}, {1, 1, height, width, 1, 1}}});
      });
    });
    return kind;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from != kInput) return;
    holders_of(rows, element[2], [&](std::int64_t i, std::int64_t f_h) {
      holders_of(columns, element[3], [&](std::int64_t j, std::int64_t f_w) {
        emit(Box{{element[0], element[1], f_h * columns.phases() + f_w, i, j, 0}, {1, 1, 1, 1, 1, bins}});
      });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, c, f, i, j, b] = cell;
    emit(Box{{n, c / ci_per_group * co_per_group, i * rows.per_tile(), j * columns.per_tile()},
             {1, co_per_group, rows.outputs_of(static_cast<int>(i)), columns.outputs_of(static_cast<int>(j)), 1, 1}});
  }
};

struct FilterSpectraMap {
  SpectrumAxis rows, columns;
  std::int64_t bins = 0, n = 0, entries = 1;

  FilterSpectraMap(const ConvProblem& p, const Spectra& s, std::int64_t entries = 1)
      : rows(s.rows), columns(s.columns), bins(s.bins), n(p.n()), entries(entries) {}

  // A tap is one of the phase that its distance from the window's first element falls into.
  static std::int64_t phase_of(const SpectrumAxis& axis, std::int64_t tap) { return tap * axis.dilation % axis.step; }

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    SourceKind kind = SourceKind::zero_padding;
    const std::int64_t f_h = cell[2] / columns.phases(), f_w = cell[2] % columns.phases();
    const auto of_h = [&](std::int64_t u) { return phase_of(rows, u) == f_h; };
    const auto of_w = [&](std::int64_t v) { return phase_of(columns, v) == f_w; };
    runs(rows.taps, of_h, [&](std::int64_t u, std::int64_t height) {
      runs(columns.taps, of_w, [&](std::int64_t v, std::int64_t width) {
        kind = SourceKind::region;
        emit(Term{kFilter, {{cell[0], cell[1], u, v}, {1, 1, height, width, 1, 1}}});
      });
    });
    return kind;
  }

  template <class Emit>
  void cells(Operand from, const Coord& tap, Emit&& emit) const {
    if (from != kFilter) return;
    const std::int64_t f = phase_of(rows, tap[2]) * columns.phases() + phase_of(columns, tap[3]);
    emit(Box{{tap[0], tap[1], f, 0}, {1, 1, 1, bins, entries, 1}});
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    emit(Box{{0, cell[0], 0, 0}, {n, 1, rows.outputs, columns.outputs, 1, 1}});
  }
};

struct ProductSpectraMap {
  SpectrumAxis rows, columns;
  std::int64_t n = 0, ci_per_group = 1, co_per_group = 1, phases = 1, tiles_h = 1, tiles_w = 1;
  std::int64_t entries = 1;  // of the filter; three are multiplied apart
  static constexpr Operand input = stage_operand(0), filter = stage_operand(1);

  ProductSpectraMap(const ConvProblem& p, const Spectra& s, std::int64_t entries = 1)
      : rows(s.rows),
        columns(s.columns),
        n(p.n()),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()),
        phases(s.phases()),
        tiles_h(s.rows.tiles()),
        tiles_w(s.columns.tiles()),
        entries(entries) {}

  bool apart() const { return entries == 3; }

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [image, o, i, j, b, e] = cell;
    emit(Term{input, {{image, o / co_per_group * ci_per_group, 0, i, j, b}, {1, ci_per_group, phases, 1, 1, 1}}});
    emit(Term{filter, {{o, 0, 0, b, e}, {1, ci_per_group, phases, 1, apart() ? 1 : entries, 1}}});
    return SourceKind::region;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from == input) {
      const auto [image, c, f, i, j, b] = element;
      emit(Box{{image, c / ci_per_group * co_per_group, i, j, b}, {1, co_per_group, 1, 1, 1, apart() ? entries : 1}});
    } else if (from == filter) {
      emit(Box{{0, element[0], 0, 0, element[3], apart() ? element[4] : 0}, {n, 1, tiles_h, tiles_w, 1, 1}});
    }
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [image, o, i, j, b, unused] = cell;
    emit(Box{{image, o, i * rows.per_tile(), j * columns.per_tile()},
             {1, 1, rows.outputs_of(static_cast<int>(i)), columns.outputs_of(static_cast<int>(j)), 1, 1}});
  }
};

}  // namespace convlens::gpu
