#include "algorithms/simd/panels.h"

#include <cstdlib>

#include "algorithms/problem/checked.h"
#include "algorithms/simd/tile.h"

namespace convlens::simd {

namespace {

struct PanelMap {
  std::array<std::int64_t, 4> extent{};  // of a piece of w: (o, c, u, v)
  std::int64_t co_per_group = 1, width = 1, per_group = 1;
  std::int64_t n = 0, ho = 0, wo = 0;
  ReductionOrder order{};
  static constexpr Operand from = kFilter;

  std::int64_t piece_reduction() const { return extent[1] * extent[2] * extent[3]; }

  Gathered gather(const Coord& cell) const {
    const auto [g, b, k, j, unused4, unused5] = cell;
    const std::int64_t within = b * width + j;
    if (within >= co_per_group) return {SourceKind::alignment_padding, {}};
    Coord at{g * co_per_group + within};
    std::int64_t rest = k % piece_reduction();
    for (int level = 2; level >= 0; --level) {
      const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(level)]);
      at[axis] = rest % extent[axis];
      rest /= extent[axis];
    }
    at[1] += k / piece_reduction() * extent[1];
    return {SourceKind::element, at};
  }

  // Where (·, c, u, v) is in its panel.
  std::int64_t k_of(Coord w) const {
    const std::int64_t piece = w[1] / extent[1];
    w[1] %= extent[1];
    std::int64_t k = piece;
    for (const int axis : order) k = k * extent[static_cast<std::size_t>(axis)] + w[static_cast<std::size_t>(axis)];
    return k;
  }

  template <class Emit>
  void cells(Operand operand, const Coord& w, Emit&& emit) const {
    if (operand != from) return;
    const std::int64_t within = w[0] % co_per_group;
    emit(Box::cell({w[0] / co_per_group, within / width, k_of(w), within % width}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const std::int64_t within = cell[1] * width + cell[3];
    if (within < co_per_group) emit(Box{{0, cell[0] * co_per_group + within, 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

PanelMap map_of(const ConvProblem& p, const Panels& panels, const ReductionOrder& order) {
  Shape piece = p.w_shape();
  piece[1] /= panels.pieces();
  return {piece, p.co() / panels.groups(), panels.width(), panels.per_group(), p.n(), p.ho(), p.wo(), order};
}

}  // namespace

void gather_filters(View<const float> w, std::int64_t first_o, std::int64_t outputs, std::int64_t width,
                    std::int64_t first_c, std::int64_t channels, float* to) {
  for (std::int64_t u = 0; u < w.shape[2]; ++u)
    for (std::int64_t v = 0; v < w.shape[3]; ++v, to += channels * width)
      for (std::int64_t j = 0; j < width; ++j)
        if (j < outputs) {
          const float* const filter = &w(first_o + j, first_c, u, v);
          __builtin_prefetch(filter + channels * w.strides[1]);  // where the next channels begin: too many for hardware
          for (std::int64_t c = 0; c < channels; ++c) to[c * width + j] = filter[c * w.strides[1]];
        } else {
          for (std::int64_t c = 0; c < channels; ++c) to[c * width + j] = 0;
        }
}

bool is_depthwise(const ConvProblem& p) { return p.groups() > 1 && p.ci_per_group() == 1 && p.co_per_group() == 1; }

Panels::Panels(const ConvProblem& p, const ReductionOrder& order, bool depthwise, std::int64_t pieces)
    : depthwise_(depthwise),
      order_(order),
      groups_(depthwise ? 1 : p.groups()),
      channels_(p.co() / groups_),
      reduction_(p.reduction()),
      width_(tile_width()),
      per_group_((channels_ + width_ - 1) / width_),
      pieces_(pieces) {}

std::int64_t Panels::at_a_time() const {
  constexpr std::int64_t kHalfL1 = 24 * 1024;
  return per_group_ * piece_reduction() * width_ * size_of(DType::f32) <= kHalfL1 ? per_group_ : 1;
}

std::int64_t Panels::executed_flops(const ConvProblem& p) const {
  return checked::product("executed FLOPs", {2, p.n(), p.ho(), p.wo(), reduction_, groups_, per_group_, width_});
}

std::vector<FilterValue> Panels::values(View<const float> w) const {
  // Each axis: its extent in a piece, its step in memory, its step in k.
  struct Axis {
    std::int64_t extent, offset, k;
  };
  std::array<Axis, 3> axes;
  std::int64_t step = 1;
  for (std::size_t level = 3; level-- > 0;) {
    const auto axis = static_cast<std::size_t>(order_[level]);
    axes[level] = {axis == 1 ? w.shape[1] / pieces_ : w.shape[axis], w.strides[axis], step};
    step *= axes[level].extent;
  }
  std::ranges::stable_sort(axes, [](const Axis& a, const Axis& b) { return std::abs(a.offset) > std::abs(b.offset); });

  std::vector<FilterValue> all;
  all.reserve(static_cast<std::size_t>(reduction_));
  for (std::int64_t piece = 0; piece < pieces_; ++piece)
    for (std::int64_t a = 0; a < axes[0].extent; ++a)
      for (std::int64_t b = 0; b < axes[1].extent; ++b) {
        FilterValue value{piece * (w.shape[1] / pieces_) * w.strides[1] + a * axes[0].offset + b * axes[1].offset,
                          piece * piece_reduction() + a * axes[0].k + b * axes[1].k};
        for (std::int64_t c = 0; c < axes[2].extent; ++c, value.offset += axes[2].offset, value.k += axes[2].k)
          all.push_back(value);
      }
  return all;
}

void Panels::pack(View<const float> w, std::span<const FilterValue> values, float* out, int threads) const {
  constexpr std::int64_t kPart = 256;  // of k: what threads share out
  const std::int64_t parts = (reduction_ + kPart - 1) / kPart;
#pragma omp parallel for collapse(3) num_threads(threads)
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t b = 0; b < per_group_; ++b)
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = part * kPart, count = std::min(kPart, reduction_ - first);
        pack_rows({&w(first_channel(g, b), 0, 0, 0), w.strides[0], channels(b),
                   values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), 0, width_,
                   out + offset(g, b, 0)});
      }
}

void Panels::pack(View<const float> w, std::span<const FilterValue> values, std::int64_t g, std::int64_t b,
                  std::int64_t piece, float* out) const {
  const std::int64_t first = piece * piece_reduction();
  pack_rows({&w(first_channel(g, b), 0, 0, 0), w.strides[0], channels(b),
             values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(piece_reduction())), first,
             width_, out});
}

void Panels::pack_bias(Bias<float> bias, float* out) const {
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t b = 0; b < per_group_; ++b)
      for (std::int64_t j = 0; j < width_; ++j)
        out[bias_offset(g, b) + j] = j < channels(b) ? bias[first_channel(g, b) + j] : 0.0f;
}

Stage Panels::stage(const ConvProblem& p) const {
  Stage stage;
  stage.id = "panels";
  stage.title = "filter panels";
  stage.meaning = "the filter packed for the micro-kernel: for each k the output channels of a panel lie together";
  stage.made_from = {kFilter};
  stage.axes = {{"g", depthwise_ ? "1" : "groups", groups_, groups_},
                {"b", "⌈C_o/width⌉", per_group_, per_group_},
                {"k", "K", reduction_, reduction_},
                {"j", "width", width_, width_}};
  stage.map = erase(map_of(p, *this, order_));
  stage.lay_out();
  return stage;
}

Stage Panels::stage_in_pieces(const ConvProblem& p, int copies) const {
  Stage stage = this->stage(p);
  stage.axes[0].resident = 1;
  stage.axes[1].resident = at_a_time();
  stage.axes[2].resident = piece_reduction();
  stage.copies = copies;
  stage.lay_out();
  return stage;
}

}  // namespace convlens::simd
