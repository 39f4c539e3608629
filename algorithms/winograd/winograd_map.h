// The index maps of Winograd's three stages, and of y as what is made from the last (nested.h has the formula).
//
//   V(ξ, ν, n, t, s, c) = Σ_{i, j} Bᵀ_h(ξ, i)·Bᵀ_w(ν, j) · x(n, c, t·m_h + i − p_top, s·m_w + j − p_left)
//   U(ξ, ν, o, c)       = Σ_{u, v} G_h(ξ, u)·G_w(ν, v) · w(o, c, u, v)
//   M(ξ, ν, n, t, s, o) = Σ_c V(ξ, ν, n, t, s, g·C_i/G + c) · U(ξ, ν, o, c)
//   y(n, o, p, q)       = Σ_{ξ, ν} Aᵀ_h(p − t·m_h, ξ)·Aᵀ_w(q − s·m_w, ν) · M(ξ, ν, n, t, s, o)      t = ⌊p/m_h⌋, s =
//   ⌊q/m_w⌋
//
// (ξ, ν) is the pair of points, (t, s) the tile. Zero coefficients and padding are left out of the sums. The
// matrices are the plan's, with the power of two by which V and U are stored in them; a map points to them.
#pragma once

#include "algorithms/interface/index_map.h"
#include "algorithms/winograd/nested.h"

namespace convlens {

// Calls visit(first, count) for every run of rows below `rows` in which `column` has no zero coefficient.
template <class Visit>
void nonzero_runs(const FractionMatrix& matrix, std::int64_t column, std::int64_t rows, Visit&& visit) {
  for (std::int64_t first = 0; first < rows;) {
    std::int64_t end = first;
    while (end < rows && !matrix(end, column).zero()) ++end;
    if (end > first) visit(first, end - first);
    first = end + 1;
  }
}

// One axis of the maps: its tiles, and the matrices along it.
struct WinogradAxis {
  TileAxis tile;
  const CookToom* matrices;

  // Calls visit(tile, first point, points) for the cells of V that hold input element `at`.
  template <class Visit>
  void holders(std::int64_t at, Visit&& visit) const {
    const std::int64_t padded = at + tile.pad, last = std::min(padded / tile.m, tile.tiles() - 1);
    for (std::int64_t t = std::max<std::int64_t>(0, (padded - tile.n()) / tile.m); t <= last; ++t) {
      const std::int64_t i = at - tile.first_input(t);
      if (i < tile.n())
        nonzero_runs(matrices->bt, i, tile.n(),
                     [&](std::int64_t first, std::int64_t count) { visit(t, first, count); });
    }
  }

  // Calls visit(first output, outputs) for what depends on the products of `point` in tile `t`.
  template <class Visit>
  void outputs(std::int64_t point, std::int64_t t, Visit&& visit) const {
    nonzero_runs(matrices->at, point, tile.kept(t),
                 [&](std::int64_t first, std::int64_t count) { visit(t * tile.m + first, count); });
  }

  // The same over all tiles; one run where every output depends on the point.
  template <class Visit>
  void outputs(std::int64_t point, Visit&& visit) const {
    std::int64_t longest = 0;
    nonzero_runs(matrices->at, point, tile.m,
                 [&](std::int64_t, std::int64_t count) { longest = std::max(longest, count); });
    if (longest == tile.m) return visit(std::int64_t{0}, tile.outputs);
    for (std::int64_t t = 0; t < tile.tiles(); ++t) outputs(point, t, visit);
  }
};

// What the three maps share.
struct WinogradMap {
  WinogradAxis rows, columns;
  std::int64_t n, ci_per_group, co_per_group;

  WinogradMap(const ConvProblem& p, const Nested& f)
      : rows{f.rows, &f.scaled_h},
        columns{f.columns, &f.w},
        n(p.n()),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  // What depends on a cell of M.
  template <class Emit>
  void outputs_of_product(const Coord& product, Emit&& emit) const {
    const auto [xi, nu, image, t, s, o] = product;
    rows.outputs(xi, t, [&](std::int64_t p, std::int64_t ps) {
      columns.outputs(nu, s, [&](std::int64_t q, std::int64_t qs) {
        emit(Box{{image, o, p, q}, {1, 1, ps, qs, 1, 1}});
      });
    });
  }
};

inline constexpr Operand kTransformedInput = stage_operand(0);
inline constexpr Operand kTransformedFilter = stage_operand(1);
inline constexpr Operand kProducts = stage_operand(2);

struct TransformedInputMap : WinogradMap {
  using WinogradMap::WinogradMap;

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [xi, nu, image, t, s, c] = cell;
    SourceKind kind = SourceKind::zero_padding;
    for (std::int64_t i = 0; i < rows.tile.n(); ++i) {
      const std::int64_t h = rows.tile.first_input(t) + i;
      const Rational row = rows.matrices->bt(xi, i);
      if (row.zero() || !rows.tile.inside(h)) continue;
      for (std::int64_t j = 0; j < columns.tile.n(); ++j) {
        const std::int64_t w = columns.tile.first_input(s) + j;
        const Rational column = columns.matrices->bt(nu, j);
        if (column.zero() || !columns.tile.inside(w)) continue;
        emit(Term{kInput, Box::cell({image, c, h, w}), row * column});
        kind = SourceKind::combination;
      }
    }
    return kind;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from != kInput) return;
    const auto [image, c, h, w, unused4, unused5] = element;
    rows.holders(h, [&](std::int64_t t, std::int64_t xi, std::int64_t xis) {
      columns.holders(w, [&](std::int64_t s, std::int64_t nu, std::int64_t nus) {
        emit(Box{{xi, nu, image, t, s, c}, {xis, nus, 1, 1, 1, 1}});
      });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [xi, nu, image, t, s, c] = cell;
    rows.outputs(xi, t, [&](std::int64_t p, std::int64_t ps) {
      columns.outputs(nu, s, [&](std::int64_t q, std::int64_t qs) {
        emit(Box{{image, c / ci_per_group * co_per_group, p, q}, {1, co_per_group, ps, qs, 1, 1}});
      });
    });
  }
};

struct TransformedFilterMap : WinogradMap {
  using WinogradMap::WinogradMap;

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [xi, nu, o, c, unused4, unused5] = cell;
    for (std::int64_t u = 0; u < rows.tile.r; ++u)
      for (std::int64_t v = 0; v < columns.tile.r; ++v) {
        const Rational coefficient = rows.matrices->g(xi, u) * columns.matrices->g(nu, v);
        if (!coefficient.zero()) emit(Term{kFilter, Box::cell({o, c, u, v}), coefficient});
      }
    return SourceKind::combination;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from != kFilter) return;
    const auto [o, c, u, v, unused4, unused5] = element;
    nonzero_runs(rows.matrices->g, u, rows.tile.n(), [&](std::int64_t xi, std::int64_t xis) {
      nonzero_runs(columns.matrices->g, v, columns.tile.n(), [&](std::int64_t nu, std::int64_t nus) {
        emit(Box{{xi, nu, o, c}, {xis, nus, 1, 1, 1, 1}});
      });
    });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [xi, nu, o, c, unused4, unused5] = cell;
    rows.outputs(xi, [&](std::int64_t p, std::int64_t ps) {
      columns.outputs(nu, [&](std::int64_t q, std::int64_t qs) { emit(Box{{0, o, p, q}, {n, 1, ps, qs, 1, 1}}); });
    });
  }
};

struct ProductMap : WinogradMap {
  using WinogradMap::WinogradMap;

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    const auto [xi, nu, image, t, s, o] = cell;
    const std::int64_t first_channel = o / co_per_group * ci_per_group;
    emit(Term{kTransformedInput, Box{{xi, nu, image, t, s, first_channel}, {1, 1, 1, 1, 1, ci_per_group}}});
    emit(Term{kTransformedFilter, Box{{xi, nu, o, 0}, {1, 1, 1, ci_per_group, 1, 1}}});
    return SourceKind::region;
  }

  template <class Emit>
  void cells(Operand from, const Coord& element, Emit&& emit) const {
    if (from == kTransformedInput) {
      const auto [xi, nu, image, t, s, c] = element;
      emit(Box{{xi, nu, image, t, s, c / ci_per_group * co_per_group}, {1, 1, 1, 1, 1, co_per_group}});
    } else if (from == kTransformedFilter) {
      const auto [xi, nu, o, c, unused4, unused5] = element;
      emit(Box{{xi, nu, 0, 0, 0, o}, {1, 1, n, rows.tile.tiles(), columns.tile.tiles(), 1}});
    }
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    outputs_of_product(cell, emit);
  }
};

// Its cells are the outputs (n, o, p, q); a bias is no part of it.
struct OutputMap : WinogradMap {
  using WinogradMap::WinogradMap;

  template <class Emit>
  SourceKind sources(const Coord& output, Emit&& emit) const {
    const auto [image, o, p, q, unused4, unused5] = output;
    const std::int64_t t = p / rows.tile.m, s = q / columns.tile.m;
    for (std::int64_t xi = 0; xi < rows.tile.n(); ++xi)
      for (std::int64_t nu = 0; nu < columns.tile.n(); ++nu) {
        const Rational coefficient =
            rows.matrices->at(p - t * rows.tile.m, xi) * columns.matrices->at(q - s * columns.tile.m, nu);
        if (!coefficient.zero()) emit(Term{kProducts, Box::cell({xi, nu, image, t, s, o}), coefficient});
      }
    return SourceKind::combination;
  }

  template <class Emit>
  void cells(Operand from, const Coord& product, Emit&& emit) const {
    if (from == kProducts) outputs_of_product(product, emit);
  }

  template <class Emit>
  void outputs(const Coord& output, Emit&& emit) const {
    emit(Box::cell(output));
  }
};

}  // namespace convlens
