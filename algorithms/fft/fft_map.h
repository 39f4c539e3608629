// The three tensors of convolution by FFT, and what their cells are made of.
//
//   X̂(n, c, i, j, k, l)  bin (k, l) of tile (i, j) of x(n, c)     depends on all of the tile that is read
//   Ŵ(o, c, k, l)        bin (k, l) of the filter w(o, c)         depends on all its taps
//   Ŷ(n, o, i, j, k, l)  = Σ_c X̂(n, c, i, j, k, l) · conj Ŵ(o, c, k, l)
//
// Tiles overlap (overlap-save: Mathieu, Henaff & LeCun 2013, arXiv 1312.5851; Vasilache et al. 2015, arXiv 1412.7580):
// each makes its own block of outputs, and holds whatever those outputs read.
#pragma once

#include <algorithm>

#include "algorithms/fft/transform.h"
#include "algorithms/interface/index_map.h"
#include "algorithms/interface/window.h"

namespace convlens::fft {

// How one axis is cut into tiles. Tile t makes the outputs t·per_tile … (t+1)·per_tile − 1; its element 0 is the first
// that they read. A transform of `length` points makes (length − extent) / stride + 1 outputs that have not wrapped.
struct TileAxis {
  WindowAxis window;
  std::int64_t per_tile = 1, tiles = 1;

  TileAxis(const WindowAxis& axis, std::int64_t length) : window(axis) {
    const std::int64_t extent = (axis.taps - 1) * axis.dilation + 1;
    per_tile = std::min(axis.outputs, (length - extent) / axis.stride + 1);
    tiles = (axis.outputs + per_tile - 1) / per_tile;
  }

  // The element of the input where `tile` begins (negative: in the padding), and how many it spans.
  std::int64_t origin(std::int64_t tile) const { return window.input(tile * per_tile, 0); }
  std::int64_t span() const { return (per_tile - 1) * window.stride + (window.taps - 1) * window.dilation + 1; }

  std::int64_t first_output(std::int64_t tile) const { return tile * per_tile; }
  std::int64_t outputs(std::int64_t tile) const { return std::min(per_tile, window.outputs - tile * per_tile); }

  // Whether an output of `tile` reads the input element: strides and dilations may leave gaps.
  bool reads(std::int64_t tile, std::int64_t input) const {
    bool found = false;
    window.readers(input, [&](std::int64_t output, std::int64_t) { found = found || output / per_tile == tile; });
    return found;
  }

  // Whether strides or dilations may leave elements between the taps that no output reads.
  bool may_have_gaps() const { return window.dilation > 1 || window.stride > window.taps; }

  // Calls emit(first, count) for every unbroken run of elements of the image that `tile` reads.
  template <class Emit>
  void runs(std::int64_t tile, Emit&& emit) const {
    const std::int64_t unread = (per_tile - outputs(tile)) * window.stride;  // at the end of the last tile
    const std::int64_t begin = std::max<std::int64_t>(0, origin(tile));
    const std::int64_t end = std::min(window.size, origin(tile) + span() - unread);
    if (!may_have_gaps()) {
      if (end > begin) emit(begin, end - begin);
      return;
    }
    for (std::int64_t first = begin; first < end; ++first) {
      std::int64_t last = first;
      while (last < end && reads(tile, last)) ++last;
      if (last > first) emit(first, last - first);
      first = last;
    }
  }

  // Calls visit(tile) for every tile that reads the input element: later taps belong to the same output or one before.
  template <class Visit>
  void tiles_of(std::int64_t input, Visit&& visit) const {
    std::int64_t before = -1;
    window.readers(input, [&](std::int64_t output, std::int64_t) {
      const std::int64_t tile = output / per_tile;
      if (tile != before) visit(tile);
      before = tile;
    });
  }
};

struct InputSpectrumMap {
  TileAxis rows, columns;
  std::int64_t bins_h = 1, bins_w = 1, ci_per_group = 1, co_per_group = 1;

  InputSpectrumMap(const ConvProblem& p, const Lengths& n)
      : rows(WindowAxis::rows(p), n.h),
        columns(WindowAxis::columns(p), n.w),
        bins_h(n.h),
        bins_w(n.half()),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  // Elements that no output of the tile reads are left out, not multiplied by zeros: a NaN there must not count.
  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [n, c, i, j, k, l] = cell;
    SourceKind kind = SourceKind::zero_padding;
    rows.runs(i, [&](std::int64_t h, std::int64_t height) {
      columns.runs(j, [&](std::int64_t w, std::int64_t width) {
        kind = SourceKind::region;
        emit(Term{kInput, {{n, c, h, w}, {1, 1, height, width, 1, 1}}});
      });
    });
    return kind;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from != kInput) return;
    rows.tiles_of(element[2], [&](std::int64_t i) {
      columns.tiles_of(element[3], [&](std::int64_t j) {
        emit(Box{{element[0], element[1], i, j, 0, 0}, {1, 1, 1, 1, bins_h, bins_w}});
      });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, c, i, j, k, l] = cell;
    emit(Box{{n, c / ci_per_group * co_per_group, rows.first_output(i), columns.first_output(j)},
             {1, co_per_group, rows.outputs(i), columns.outputs(j), 1, 1}});
  }
};

struct FilterSpectrumMap {
  std::int64_t taps_h = 1, taps_w = 1, bins_h = 1, bins_w = 1, n = 0, ho = 0, wo = 0;

  FilterSpectrumMap(const ConvProblem& p, const Lengths& lengths)
      : taps_h(p.hf()), taps_w(p.wf()), bins_h(lengths.h), bins_w(lengths.half()), n(p.n()), ho(p.ho()), wo(p.wo()) {}

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    emit(Term{kFilter, {{cell[0], cell[1], 0, 0}, {1, 1, taps_h, taps_w, 1, 1}}});
    return SourceKind::region;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from == kFilter) emit(Box{{element[0], element[1], 0, 0}, {1, 1, bins_h, bins_w, 1, 1}});
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    emit(Box{{0, cell[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

struct ProductSpectrumMap {
  TileAxis rows, columns;
  std::int64_t n = 0, ci_per_group = 1, co_per_group = 1;
  static constexpr Operand input = stage_operand(0), filter = stage_operand(1);

  ProductSpectrumMap(const ConvProblem& p, const Lengths& lengths)
      : rows(WindowAxis::rows(p), lengths.h),
        columns(WindowAxis::columns(p), lengths.w),
        n(p.n()),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [image, o, i, j, k, l] = cell;
    emit(Term{input, {{image, o / co_per_group * ci_per_group, i, j, k, l}, {1, ci_per_group, 1, 1, 1, 1}}});
    emit(Term{filter, {{o, 0, k, l}, {1, ci_per_group, 1, 1, 1, 1}}});
    return SourceKind::region;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from == input) {
      const auto [image, c, i, j, k, l] = element;
      emit(Box{{image, c / ci_per_group * co_per_group, i, j, k, l}, {1, co_per_group, 1, 1, 1, 1}});
    } else if (from == filter) {
      const auto [o, c, k, l, unused4, unused5] = element;
      emit(Box{{0, o, 0, 0, k, l}, {n, 1, rows.tiles, columns.tiles, 1, 1}});
    }
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [image, o, i, j, k, l] = cell;
    emit(Box{{image, o, rows.first_output(i), columns.first_output(j)},
             {1, 1, rows.outputs(i), columns.outputs(j), 1, 1}});
  }
};

}  // namespace convlens::fft
