// The maps that every algorithm shares: the input as it is, and the filter as a dense matrix.
#pragma once

#include <string>

#include "algorithms/interface/stage.h"
#include "algorithms/interface/window.h"

namespace convlens {

// The input tensor seen as a stage: cell (n, c, h, w) is x(n, c, h, w). What uses an input element, for algorithms
// that read x where it is.
struct InputMap {
  WindowAxis rows, columns;
  std::int64_t ci_per_group = 1, co_per_group = 1;
  static constexpr Operand from = kInput;

  explicit InputMap(const ConvProblem& p)
      : rows(WindowAxis::rows(p)),
        columns(WindowAxis::columns(p)),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  Coord at(const Coord& cell) const { return cell; }
  Gathered gather(const Coord& cell) const { return {SourceKind::element, cell}; }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand == from) emit(Box::cell(element));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, c, h, w, unused4, unused5] = cell;
    rows.readers(h, [&](std::int64_t p, std::int64_t) {
      columns.readers(w, [&](std::int64_t q, std::int64_t) {
        emit(Box{{n, c / ci_per_group * co_per_group, p, q}, {1, co_per_group, 1, 1, 1, 1}});
      });
    });
  }
};

// The filter as a matrix with one row an output channel: cell (o, c, u, v) is w(o, c, u, v). The order of the columns
// is the stage's (its strides), not the map's.
struct FilterMap {
  std::int64_t n = 0, ho = 0, wo = 0;
  static constexpr Operand from = kFilter;

  explicit FilterMap(const ConvProblem& p) : n(p.n()), ho(p.ho()), wo(p.wo()) {}

  Coord at(const Coord& cell) const { return cell; }
  Gathered gather(const Coord& cell) const { return {SourceKind::element, cell}; }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand == from) emit(Box::cell(element));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    emit(Box{{0, cell[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

// x as a virtual stage: nothing is stored.
Stage input_stage(const ConvProblem& problem, DType dtype);

// A copy of the filter as C_o rows of K values, its columns ordered from slowest to fastest by `columns`, which
// permutes the axes 1 (c), 2 (u) and 3 (v).
Stage filter_stage(const ConvProblem& problem, DType dtype, const std::vector<int>& columns);

}  // namespace convlens
