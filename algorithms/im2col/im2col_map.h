// The im2col matrix: one row an output pixel, one column a value of its window.
//
//   cell (n, p, q, c, u, v) = x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left)
//
// Rows are (n, p, q), columns (c, u, v), c over all input channels: a grouped layer uses a block of columns a group.
// Source: Chellapilla, Puri & Simard, "High performance convolutional neural networks for document processing", 2006.
#pragma once

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/window.h"

namespace convlens {

struct Im2colMap {
  WindowAxis rows, columns;
  std::int64_t ci_per_group = 1, co_per_group = 1;
  static constexpr Operand from = kInput;

  explicit Im2colMap(const ConvProblem& p)
      : rows(WindowAxis::rows(p)),
        columns(WindowAxis::columns(p)),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  Coord at(const Coord& cell) const {
    const auto [n, p, q, c, u, v] = cell;
    return {n, c, rows.input(p, u), columns.input(q, v)};
  }

  Gathered gather(const Coord& cell) const {
    const Coord x = at(cell);
    if (!rows.inside(x[2]) || !columns.inside(x[3])) return {SourceKind::zero_padding, {}};
    return {SourceKind::element, x};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand != from) return;
    const auto [n, c, h, w, unused4, unused5] = element;
    rows.readers(h, [&](std::int64_t p, std::int64_t u) {
      columns.readers(w, [&](std::int64_t q, std::int64_t v) { emit(Box::cell({n, p, q, c, u, v})); });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, p, q, c, u, v] = cell;
    emit(Box{{n, c / ci_per_group * co_per_group, p, q}, {1, co_per_group, 1, 1, 1, 1}});
  }
};

}  // namespace convlens
