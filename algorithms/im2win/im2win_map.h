// The im2win tensor Î, and the MEC matrix L, which is Î with H and W exchanged.
//
//   im2win   Î(n, c, m, k, u) = x(n, c, m·s_h + u·d_h − p_top, k − p_left)   0 ≤ k < W̃ = (W_o−1)·s_w + (W_f−1)·d_w + 1
//   MEC      L(n, c, q, k, v) = x(n, c, k − p_top, q·s_w + v·d_w − p_left)   0 ≤ k < H̃ = (H_o−1)·s_h + (H_f−1)·d_h + 1
//
// Both split the sliding window. Along the *lowered* axis they do as im2col: every output keeps a copy of all its taps.
// Along the *kept* axis they store each padded position once, and neighbouring windows share it. im2win lowers
// rows and keeps columns; MEC lowers columns and keeps rows. In both, the window of output j on the kept axis starts at
// k = j·s and its tap t lies at k = j·s + t·d, a sum without padding or borders: those were settled by the copy.
//
// Sources: Lu, Chu & Liu, HPEC 2022, arXiv 2306.14320 (im2win); Cho & Brand, ICML 2017, arXiv 1706.06873 (MEC).
#pragma once

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/window.h"

namespace convlens {

enum class Lowered : std::uint8_t { rows, columns };

template <Lowered kLowered>
struct StripMap {
  WindowAxis lowered, kept;
  std::int64_t ci_per_group = 1, co_per_group = 1;
  static constexpr Operand from = kInput;

  explicit StripMap(const ConvProblem& p)
      : lowered(kLowered == Lowered::rows ? WindowAxis::rows(p) : WindowAxis::columns(p)),
        kept(kLowered == Lowered::rows ? WindowAxis::columns(p) : WindowAxis::rows(p)),
        ci_per_group(p.ci_per_group()),
        co_per_group(p.co_per_group()) {}

  // The coordinate of an image, (row, column) its last two, whose position is l on the lowered and k on the kept axis.
  static constexpr Coord in_image(std::int64_t n, std::int64_t c, std::int64_t l, std::int64_t k) {
    return kLowered == Lowered::rows ? Coord{n, c, l, k} : Coord{n, c, k, l};
  }

  Coord at(const Coord& cell) const {
    const auto [n, c, m, k, u, unused] = cell;
    return in_image(n, c, lowered.input(m, u), k - kept.pad);
  }

  Gathered gather(const Coord& cell) const {
    const auto [n, c, m, k, u, unused] = cell;
    if (!lowered.inside(lowered.input(m, u)) || !kept.inside(k - kept.pad)) return {SourceKind::zero_padding, {}};
    return {SourceKind::element, at(cell)};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand != from) return;
    const auto [n, c, l, j, unused4, unused5] = in_image(element[0], element[1], element[2], element[3]);
    const std::int64_t k = j + kept.pad;
    if (k >= kept.span()) return;  // beyond the last window
    lowered.readers(l, [&](std::int64_t m, std::int64_t u) { emit(Box::cell({n, c, m, k, u})); });
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const auto [n, c, m, k, u, unused] = cell;
    const std::int64_t o = c / ci_per_group * co_per_group;
    kept.readers(k - kept.pad, [&](std::int64_t j, std::int64_t) {
      emit(Box{in_image(n, o, m, j), {1, co_per_group, 1, 1, 1, 1}});
    });
  }
};

using Im2winMap = StripMap<Lowered::rows>;
using MecMap = StripMap<Lowered::columns>;

}  // namespace convlens
