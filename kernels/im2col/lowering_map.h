// The two matrices that im2col's rows on a GPU multiply, with columns as they lie in memory.
//
//   A(n, p, q, g, k) = x(n, g·C_i/G + c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)      W(o, k) = w(o, c, u, v)
//
// k is the column in a group's part of a row: (u, v, c) where channels lie together in x, else (c, u, v). Parts are
// rounded up to whole vectors of 16 bytes; the columns beyond the window are alignment, zero in both.
#pragma once

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/window.h"

namespace convlens::gpu {

struct WindowColumns {
  std::int64_t channels = 1, hf = 1, wf = 1;  // of a group
  bool channels_last = false;

  WindowColumns(const ConvProblem& p, bool last)
      : channels(p.ci_per_group()), hf(p.hf()), wf(p.wf()), channels_last(last) {}

  struct Column {
    std::int64_t c, u, v;
  };
  bool exists(std::int64_t k) const { return k < channels * hf * wf; }
  Column at(std::int64_t k) const {
    if (channels_last) return {k % channels, k / channels / wf, k / channels % wf};
    return {k / (hf * wf), k / wf % hf, k % wf};
  }
  std::int64_t number(const Column& at) const {
    return channels_last ? (at.u * wf + at.v) * channels + at.c : (at.c * hf + at.u) * wf + at.v;
  }
};

struct LoweredMap {
  WindowAxis rows, columns;
  WindowColumns window;
  std::int64_t co_per_group = 1;
  static constexpr Operand from = kInput;

  LoweredMap(const ConvProblem& p, bool channels_last)
      : rows(WindowAxis::rows(p)),
        columns(WindowAxis::columns(p)),
        window(p, channels_last),
        co_per_group(p.co_per_group()) {}

  Gathered gather(const Coord& cell) const {
    const auto [n, p, q, g, k, unused] = cell;
    if (!window.exists(k)) return {SourceKind::alignment_padding, {}};
    const auto [c, u, v] = window.at(k);
    const std::int64_t h = rows.input(p, u), w = columns.input(q, v);
    if (!rows.inside(h) || !columns.inside(w)) return {SourceKind::zero_padding, {}};
    return {SourceKind::element, {n, g * window.channels + c, h, w}};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand != from) return;
    const auto [n, c, h, w, unused4, unused5] = element;
    rows.readers(h, [&](std::int64_t p, std::int64_t u) {
      columns.readers(w, [&](std::int64_t q, std::int64_t v) {
        emit(Box::cell({n, p, q, c / window.channels, window.number({c % window.channels, u, v})}));
      });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, p, q, g, k, unused] = cell;
    if (window.exists(k)) emit(Box{{n, g * co_per_group, p, q}, {1, co_per_group, 1, 1, 1, 1}});
  }
};

struct FilterColumnsMap {
  WindowColumns window;
  std::int64_t n = 0, ho = 0, wo = 0;
  static constexpr Operand from = kFilter;

  FilterColumnsMap(const ConvProblem& p, bool channels_last)
      : window(p, channels_last), n(p.n()), ho(p.ho()), wo(p.wo()) {}

  Gathered gather(const Coord& cell) const {
    if (!window.exists(cell[1])) return {SourceKind::alignment_padding, {}};
    const auto [c, u, v] = window.at(cell[1]);
    return {SourceKind::element, {cell[0], c, u, v}};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& tap, Emit&& emit) const {
    if (operand == from) emit(Box::cell({tap[0], window.number({tap[1], tap[2], tap[3]})}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (window.exists(cell[1])) emit(Box{{0, cell[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

}  // namespace convlens::gpu
