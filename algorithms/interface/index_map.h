// Index maps: what every cell of a transformed tensor is made of, and where every element goes.
//
// A map is a small trivially copyable struct with three closed-form queries. `emit` is called for each answer.
//
//   sources(cell, emit) → SourceKind   what the cell holds; emits the Terms it is made of
//   cells(from, element, emit)         emits the Boxes of cells that `element` of operand `from` goes into
//   outputs(cell, emit)                emits the Boxes of y whose value depends on the cell
//
// Law, tested for every map: c ∈ cells(s) ⇔ s ∈ sources(c).
//
// Most transforms copy: each cell is one element or one padding zero. Such a *gather map* states that alone, as
// `gather(cell)`; `sources_of` derives the general query from it. The CPU reference fills its buffer through the
// map, tests check GPU transforms against it, and the viewer draws its links from it.
//
// A gather map is *affine* when it also has `at(cell)`: the coordinate that a cell reads, inside the source or not, as
// a sum of a constant and non-negative multiples of the cell's coordinates. Then gather(cell) is the element there, or
// padding where there is none; and since the source is a box, so is the set of cells that hold elements.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "algorithms/interface/rational.h"

namespace convlens {

inline constexpr int kMaxRank = 6;
using Coord = std::array<std::int64_t, kMaxRank>;  // unused trailing axes are 0

// The cells first ≤ c < first + extent, axis by axis; unused axes have first 0 and extent 1.
struct Box {
  Coord first{};
  Coord extent{1, 1, 1, 1, 1, 1};

  static Box cell(const Coord& at) { return {at, {1, 1, 1, 1, 1, 1}}; }
  bool contains(const Coord& at) const {
    for (std::size_t axis = 0; axis < kMaxRank; ++axis)
      if (at[axis] < first[axis] || at[axis] >= first[axis] + extent[axis]) return false;
    return true;
  }
  std::int64_t size() const {
    std::int64_t cells = 1;
    for (std::int64_t e : extent) cells *= e;
    return cells;
  }
  bool operator==(const Box&) const = default;
};

// What a stage is made from: the input, the filter, or an earlier stage of the same plan.
struct Operand {
  int id = -1;
  bool operator==(const Operand&) const = default;
};
inline constexpr Operand kInput{-1};
inline constexpr Operand kFilter{-2};
constexpr Operand stage_operand(int stage) { return {stage}; }

enum class SourceKind : std::uint8_t {
  element,            // a copy of one element: one term, one cell, coefficient 1
  zero_padding,       // a zero of the layer's padding: no terms
  alignment_padding,  // a cell that exists only to round a size up: no terms
  combination,        // Σ coefficient · element, exactly (Winograd)
  region,             // depends on every element of its terms' boxes (spectra, products)
};

struct Term {
  Operand from;
  Box at;
  Rational coefficient = 1;  // exact; meaningless for a region
};

// The answer of a gather map: the kind, and the element where there is one.
struct Gathered {
  SourceKind kind = SourceKind::zero_padding;
  Coord at{};
};

template <class M>
concept GatherMap = std::is_trivially_copyable_v<M> && requires(const M map, const Coord cell) {
  { map.gather(cell) } -> std::same_as<Gathered>;
  { map.from } -> std::convertible_to<Operand>;
};

template <class M>
concept AffineMap = GatherMap<M> && requires(const M map, const Coord cell) {
  { map.at(cell) } -> std::same_as<Coord>;
};

namespace detail {
struct IgnoreTerm {
  void operator()(const Term&) const {}
};
struct IgnoreBox {
  void operator()(const Box&) const {}
};
}  // namespace detail

// What `cell` is made of, for any map.
template <class M, class Emit>
SourceKind sources_of(const M& map, const Coord& cell, Emit&& emit) {
  if constexpr (GatherMap<M>) {
    const Gathered gathered = map.gather(cell);
    if (gathered.kind == SourceKind::element) emit(Term{map.from, Box::cell(gathered.at), 1});
    return gathered.kind;
  } else {
    return map.sources(cell, emit);
  }
}

template <class M>
concept IndexMap = std::is_trivially_copyable_v<M> && requires(const M map, const Coord cell) {
  { sources_of(map, cell, detail::IgnoreTerm{}) } -> std::same_as<SourceKind>;
  map.cells(kInput, cell, detail::IgnoreBox{});
  map.outputs(cell, detail::IgnoreBox{});
};

}  // namespace convlens
