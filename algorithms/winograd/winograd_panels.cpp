#include "algorithms/winograd/winograd_panels.h"

#include <algorithm>

#include "algorithms/simd/panels.h"
#include "algorithms/simd/tile.h"
#include "algorithms/winograd/winograd_map.h"

namespace convlens {

namespace {

struct PanelMap {
  WinogradAxis rows, columns;
  std::int64_t n, co_per_group, width;
  Operand from;

  Gathered gather(const Coord& cell) const {
    const auto [xi, nu, g, b, c, j] = cell;
    const std::int64_t within = b * width + j;
    if (within >= co_per_group) return {SourceKind::alignment_padding, {}};
    return {SourceKind::element, {xi, nu, g * co_per_group + within, c}};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& u, Emit&& emit) const {
    if (operand != from) return;
    const auto [xi, nu, o, c, unused4, unused5] = u;
    const std::int64_t within = o % co_per_group;
    emit(Box::cell({xi, nu, o / co_per_group, within / width, c, within % width}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    const Gathered u = gather(cell);
    if (u.kind != SourceKind::element) return;
    rows.outputs(u.at[0], [&](std::int64_t p, std::int64_t ps) {
      columns.outputs(u.at[1], [&](std::int64_t q, std::int64_t qs) {
        emit(Box{{0, u.at[2], p, q}, {n, 1, ps, qs, 1, 1}});
      });
    });
  }
};

}  // namespace

WinogradPanels::WinogradPanels(const ConvProblem& p, const Nested& f)
    : points_h_(f.rows.n()),
      points_w_(f.columns.n()),
      groups_(p.groups()),
      channels_(p.ci_per_group()),
      outputs_(p.co_per_group()),
      taps_(p.taps()),
      width_(simd::tile_width()) {
  constexpr std::int64_t kLine = 64 / sizeof(float);  // channels whose taps share a cache line in OHWI
  per_group_ = (outputs_ + width_ - 1) / width_;
  piece_ = std::clamp<std::int64_t>(kGathered / (taps_ * width_), 1, kLine);
}

WinogradPanels::Panel WinogradPanels::at(std::int64_t number) const {
  const std::int64_t g = number / per_group_, b = number % per_group_;
  return {g, b, g * outputs_ + b * width_, std::min(width_, outputs_ - b * width_)};
}

Stage WinogradPanels::stage(const ConvProblem& p, const std::shared_ptr<const Nested>& nested, Operand u) const {
  Stage stage;
  stage.id = "panels";
  stage.title = "panels of U";
  stage.meaning = "U packed for the micro-kernel: for each channel the outputs of a panel lie together";
  stage.made_from = {u};
  stage.axes = {{"ξ", "n_h", points_h_, points_h_},
                {"ν", "n_w", points_w_, points_w_},
                {"g", "groups", groups_, groups_},
                {"b", "⌈C_o/width⌉", per_group_, per_group_},
                {"c", p.groups() == 1 ? "C_i" : "(C_i/groups)", channels_, channels_},
                {"j", "width", width_, width_}};
  const WinogradMap axes(p, *nested);
  stage.map = erase(PanelMap{axes.rows, axes.columns, p.n(), p.co_per_group(), width_, u}, nested);
  stage.axes[4].resident = channels_ + 1;  // points are then no power of two apart, which caches do not like
  stage.lay_out({2, 3, 0, 1, 4, 5});
  return stage;
}

void WinogradPanels::fill(const Panel& panel, std::int64_t piece, const VectorSandwich& transform, View<const float> w,
                          float* to, std::int64_t point_step, bool vectors) const {
  const std::int64_t first = piece * piece_, channels = std::min(piece_, channels_ - first);
  static_assert(kGathered >= static_cast<std::int64_t>(kMaxTile) * simd::kMostWidth, "a channel must fit");
  float gathered[kGathered];  // [taps][channels][width]
  simd::gather_filters(w, panel.first_output, panel.outputs, width_, first, channels, gathered);
  const float* in[kMaxTile];
  float* out[kMaxTile];
  for (std::int64_t tap = 0; tap < taps_; ++tap) in[tap] = gathered + tap * channels * width_;
  for (std::int64_t point = 0; point < points_h_ * points_w_; ++point) out[point] = to + point * point_step;
  transform.apply({.in = in,
                   .out = out,
                   .out_offset = first * width_,
                   .rows = points_h_,
                   .columns = points_w_,
                   .channels = channels * width_},
                  vectors);
}

}  // namespace convlens
