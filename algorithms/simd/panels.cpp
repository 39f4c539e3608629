#include "algorithms/simd/panels.h"

#include <algorithm>

#include "algorithms/problem/checked.h"
#include "algorithms/simd/tile.h"

namespace convlens::simd {

namespace {

struct PanelMap {
  std::array<std::int64_t, 4> extent{};  // of w: (o, c, u, v)
  std::int64_t co_per_group = 1, width = 1, per_group = 1;
  std::int64_t n = 0, ho = 0, wo = 0;
  ReductionOrder order{};
  static constexpr Operand from = kFilter;

  Gathered gather(const Coord& cell) const {
    const auto [g, b, k, j, unused4, unused5] = cell;
    const std::int64_t within = b * width + j;
    if (within >= co_per_group) return {SourceKind::alignment_padding, {}};
    Coord at{g * co_per_group + within};
    std::int64_t rest = k;
    for (int level = 2; level >= 0; --level) {
      const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(level)]);
      at[axis] = rest % extent[axis];
      rest /= extent[axis];
    }
    return {SourceKind::element, at};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& w, Emit&& emit) const {
    if (operand != from) return;
    std::int64_t k = 0;
    for (const int axis : order) k = k * extent[static_cast<std::size_t>(axis)] + w[static_cast<std::size_t>(axis)];
    const std::int64_t within = w[0] % co_per_group;
    emit(Box::cell({w[0] / co_per_group, within / width, k, within % width}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const std::int64_t within = cell[1] * width + cell[3];
    if (within < co_per_group) emit(Box{{0, cell[0] * co_per_group + within, 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

PanelMap map_of(const ConvProblem& p, const Panels& panels, const ReductionOrder& order) {
  return {p.w_shape(), p.co() / panels.groups(), panels.width(), panels.per_group(), p.n(), p.ho(), p.wo(), order};
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

Panels::Panels(const ConvProblem& p, bool depthwise)
    : depthwise_(depthwise),
      groups_(depthwise ? 1 : p.groups()),
      channels_(p.co() / groups_),
      reduction_(p.reduction()),
      width_(tile_width()),
      per_group_((channels_ + width_ - 1) / width_) {}

std::int64_t Panels::executed_flops(const ConvProblem& p) const {
  return checked::product("executed FLOPs", {2, p.n(), p.ho(), p.wo(), reduction_, groups_, per_group_, width_});
}

void Panels::pack(const ConvProblem& p, View<const float> w, Bias<float> bias, const ReductionOrder& order, float* out,
                  int threads) const {
  const PanelMap map = map_of(p, *this, order);
  constexpr std::int64_t kChunk =
      64;  // of k: whole cache lines of each filter are read, and the rows written stay in L1
  constexpr std::int64_t kLine = 64 / sizeof(float);
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t b = 0; b < per_group_; ++b)
      for (std::int64_t j = 0; j < width_; ++j) {
        out[bias_offset(g, b) + j] = j < channels(b) ? bias[first_channel(g, b) + j] : 0.0f;
      }

  const std::int64_t chunks = (reduction_ + kChunk - 1) / kChunk;
#pragma omp parallel for collapse(3) num_threads(threads)
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t b = 0; b < per_group_; ++b)
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        const std::int64_t first = chunk * kChunk, length = std::min(kChunk, reduction_ - first);
        float* const rows = out + offset(g, b) + first * width_;
        // Where k is within a filter is the same for every output channel.
        std::int64_t within[kChunk];
        for (std::int64_t k = 0; k < length; ++k) {
          const Coord at = map.gather({g, b, first + k, 0}).at;
          within[k] = at[1] * w.strides[1] + at[2] * w.strides[2] + at[3] * w.strides[3];
        }
        for (std::int64_t j = 0; j < channels(b); ++j) {
          const float* const filter = &w(first_channel(g, b) + j, 0, 0, 0);
          // The next chunk of each filter: more streams than the hardware asks ahead for.
          for (std::int64_t k = 0; k < length; k += kLine) __builtin_prefetch(filter + within[k] + kChunk);
          for (std::int64_t k = 0; k < length; ++k) rows[k * width_ + j] = filter[within[k]];
        }
        for (std::int64_t j = channels(b); j < width_; ++j)
          for (std::int64_t k = 0; k < length; ++k) rows[k * width_ + j] = 0;
      }
}

Stage Panels::stage(const ConvProblem& p, const ReductionOrder& order) const {
  Stage stage;
  stage.id = "panels";
  stage.title = "filter panels";
  stage.meaning = "the filter packed for the micro-kernel: for each k the output channels of a panel lie together";
  stage.made_from = {kFilter};
  stage.axes = {{"g", depthwise_ ? "1" : "groups", groups_, groups_},
                {"b", "⌈C_o/width⌉", per_group_, per_group_},
                {"k", "K", reduction_, reduction_},
                {"j", "width", width_, width_}};
  stage.map = erase(map_of(p, *this, order));
  stage.lay_out();
  return stage;
}

}  // namespace convlens::simd
