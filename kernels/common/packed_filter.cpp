#include "kernels/common/packed_filter.h"

#include <algorithm>

#include "algorithms/error.h"
#include "kernels/common/schedule.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;

bool is_packed(const Request& request) { return request.options.is("pack_filter", "on"); }

struct PackedFilterMap {
  std::int64_t cog = 1, cig = 1, hf = 1, wf = 1, tiles_a_group = 1, tile_m = 1, channels = 1, taps = 1;
  std::int64_t n = 0, ho = 0, wo = 0;
  static constexpr Operand from = kFilter;

  Gathered gather(const Coord& cell) const {
    const auto [tile, block, group, tap, row, m] = cell;
    const std::int64_t within = tile % tiles_a_group * tile_m + m, c = block * channels + row, t = group * taps + tap;
    if (within >= cog || c >= cig || t >= hf * wf) return {SourceKind::alignment_padding, {}};
    return {SourceKind::element, {tile / tiles_a_group * cog + within, c, t / wf, t % wf}};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand != from) return;
    const auto [o, c, u, v, unused4, unused5] = element;
    const std::int64_t within = o % cog, t = u * wf + v;
    emit(Box::cell(
        {o / cog * tiles_a_group + within / tile_m, c / channels, t / taps, t % taps, c % channels, within % tile_m}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (const Gathered w = gather(cell); w.kind == SourceKind::element)
      emit(Box{{0, w.at[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

}  // namespace

std::int64_t PackedFilter::tiles(const ConvProblem& p) const { return p.groups() * ceil_div(p.co_per_group(), tile_m); }

std::int64_t PackedFilter::stages(const ConvProblem& p) const {
  return ceil_div(p.ci_per_group(), stage_channels) * ceil_div(p.taps(), stage_taps);
}

PackedFilter::BlockTile PackedFilter::tile_of(const ConvProblem& p, const Dim3& block) const {
  const std::int64_t tiles_a_group = ceil_div(p.co_per_group(), tile_m);
  const TileIndex at = tile_of_block(block.x, static_cast<int>(tiles(p)), false);
  const std::int64_t within = at.column % tiles_a_group * tile_m;
  return {at.column / tiles_a_group * p.co_per_group() + within,
          std::min<std::int64_t>(tile_m, p.co_per_group() - within), at.row};
}

Argument PackedFilter::argument(const Request& request) { return is_packed(request) ? buffer("filter") : w(); }

Stage PackedFilter::stage(const Request& request) const {
  const ConvProblem& p = request.problem;
  const std::int64_t channel_blocks = ceil_div(p.ci_per_group(), stage_channels);
  const std::int64_t tap_groups = ceil_div(p.taps(), stage_taps);
  Stage stage;
  stage.id = "filter";
  stage.title = "packed filter";
  stage.meaning = "the filter in the order of the kernel's loop: for each k the output channels of a tile lie together";
  stage.made_from = {kFilter};
  stage.stored = is_packed(request);
  const auto axis = [](const char* name, const char* symbol, std::int64_t extent) {
    return Axis{name, symbol, extent, extent};
  };
  stage.axes = {axis("b", p.groups() == 1 ? "⌈C_o/M⌉" : "groups·⌈(C_o/groups)/M⌉", tiles(p)),
                axis("channels", p.groups() == 1 ? "⌈C_i/C⌉" : "⌈(C_i/groups)/C⌉", channel_blocks),
                axis("taps", "⌈H_f·W_f/T⌉", tap_groups),
                axis("t", "T", stage_taps),
                axis("c", "C", stage_channels),
                axis("m", "M", tile_m)};
  stage.map =
      erase(PackedFilterMap{p.co_per_group(), p.ci_per_group(), p.hf(), p.wf(), ceil_div(p.co_per_group(), tile_m),
                            tile_m, stage_channels, stage_taps, p.n(), p.ho(), p.wo()});
  stage.lay_out();
  return stage;
}

std::vector<Step> PackedFilter::steps(const Request& request) const {
  if (!is_packed(request)) return {};
  const std::int64_t cells = tiles(request.problem) * stages(request.problem) * stage_floats();
  check_counted("packed filter", cells, "elements");
  Launch launch{
      .sentence = "packs the filter",
      .kernel = kernel(
          request, "common/pack_filter.cu", "pack_filter",
          {{"tile_m", tile_m}, {"stage_channels", stage_channels}, {"stage_taps", stage_taps}, {"threads", kThreads}}),
      .grid = {ceil_div(cells, kThreads)},
      .block = {kThreads},
      .arguments = {w(), buffer("filter")},
      .writes = "filter",
  };
  launch.kernel.architectures.least = 75;
  return {std::move(launch)};
}

}  // namespace convlens::gpu
