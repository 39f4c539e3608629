// winograd.cpu: Winograd, fast: transformed, multiplied and transformed back a block of tiles at a time.
//
//   P = G_h g G_wᵀ            filters, packed into panels of output channels (winograd_panels.h)
//   V = B_hᵀ d B_w            tiles, a vector of channels at a time (vector_sandwich.h)
//   M = Σ_c P ⊙ V             n_h·n_w products on the register tile of simd/tile.h
//   Y = A_hᵀ M A_w + bias     a vector of channels at a time, into y
//
// M is made for one block of tiles and one panel, and transformed into y while it is in the cache. Of V and P the
// larger is made in pieces too (simd/tile_loop.h). Every call pays for all of it, the filters included.
//
// Sources: Lavin & Gray 2016 (arXiv 1509.09308), the fused form; blocks that fit a cache: Jia, Zlateski, Durand & Li,
// "Optimizing N-dimensional, Winograd-based convolution for manycore CPUs", PPoPP 2018.
#include <algorithm>

#include "algorithms/problem/checked.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"
#include "algorithms/simd/tile.h"
#include "algorithms/winograd/winograd.h"
#include "algorithms/winograd/winograd_blocks.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_rules.h"
#include "algorithms/winograd/winograd_stages.h"

namespace convlens {

namespace {

// As many tiles as keep V and the products of a panel within a quarter of an L2 cache, through which the panels stream;
// at least a register tile of them.
simd::TileBlocking choose_blocking(const Request& request, const Nested& f, std::int64_t width) {
  constexpr std::int64_t kQuarterL2 = 256 * 1024;
  const ConvProblem& p = request.problem;
  if (request.options.is("cache_block", "off")) return {p.n(), f.rows.tiles(), f.columns.tiles(), f.tiles()};
  const std::int64_t fits = kQuarterL2 / (f.products() * size_of(DType::f32)) / (p.ci() + width);
  return {p.n(), f.rows.tiles(), f.columns.tiles(), std::max<std::int64_t>(simd::tile_pixels(), fits)};
}

// A transform makes whole tiles, a product is a multiplication and an addition, and the bias is not counted.
std::int64_t executed_flops(const BlockSetting& s) {
  const ConvProblem& p = s.problem;
  const std::int64_t tiles = s.nested->tiles();
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    return checked::product("executed FLOPs", factors);
  };
  return checked::sum("executed FLOPs", {product({p.n(), tiles, p.ci(), s.input.flops()}),
                                         product({p.co(), p.ci_per_group(), s.filter.flops()}),
                                         product({2, s.nested->products(), p.n(), tiles, p.co(), p.ci_per_group()}),
                                         product({p.n(), tiles, p.co(), s.output.flops()})});
}

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  const auto nested = std::make_shared<const Nested>(nest(request));
  const int threads = simd::used_threads(request);
  const WinogradPanels panels(problem, *nested);
  const simd::TileBlocking blocking = choose_blocking(request, *nested, panels.width());
  const simd::TileOrder order = simd::choose_order(request, blocking, panels.count(), threads);

  Decisions d;
  d.stages = winograd_stages(problem, request.dtype, nested);
  d.stages.push_back(panels.stage(problem, nested, stage_operand(1)));
  Stage &v = d.stages[0], &u = d.stages[1], &m = d.stages[2], &packed = d.stages[3];
  u.stored = false;
  const auto keep_block = [&](Stage& stage) {
    stage.axes[2].resident = std::min(problem.n(), blocking.images);
    stage.axes[3].resident = blocking.rows;
    stage.axes[4].resident = blocking.columns;
    stage.copies = threads;
    stage.lay_out();
  };
  v.axes[5].resident = simd::odd_lines(problem.ci());
  v.lay_out();
  if (order == simd::TileOrder::tiles) keep_block(v);
  if (order == simd::TileOrder::panels) {
    packed.axes[2].resident = packed.axes[3].resident = 1;
    packed.copies = threads;
    packed.lay_out({2, 3, 0, 1, 4, 5});
  }
  if (order != simd::TileOrder::stored) {
    m.axes[5].resident = simd::resident_outputs(problem, panels.width(), order);
    keep_block(m);
  }
  const BlockSetting setting{
      .problem = problem,
      .nested = nested,
      .panels = panels,
      .input = {nested->h.bt, nested->w.bt},
      .filter = {nested->h.g, nested->w.g},
      .output = {nested->h.at, nested->w.at},
      .blocking = blocking,
      .order = order,
      .v = v,
      .m = m,
      .p = packed,
      .simd = request.options.is("simd", "on"),
      .prefetch = request.options.is("prefetch", "on"),
      .step = request.options.is("register_tile", "on") ? simd::tile_pixels() : 1,
      .threads = threads,
  };

  for (const Stage& picture : simd::picture_stages(request)) d.stages.push_back(picture);
  const std::int64_t zeros = std::max(problem.ci(), panels.width());
  d.scratch = {{"gathered_bias", problem.co() * size_of(DType::f32)}, {"zeros", zeros * size_of(DType::f32)}};
  d.executed_flops = executed_flops(setting);
  d.error_model = winograd_error_model(problem, request.dtype, nested);
  d.notes = {nested->name() + " " + nested->points(), "instructions: " + simd::instruction_set(),
             "blocks of " + std::to_string(blocking.tiles()) + " tiles"};
  d.execute = [setting, request, zeros](const Arguments& a, const Workspace& workspace, int, Stream) {
    const simd::Picture picture(request, a.x, workspace);
    float* const bias = workspace.get<float>("gathered_bias");
    float* const zero = workspace.get<float>("zeros");
    for (std::int64_t o = 0; o < setting.problem.co(); ++o) bias[o] = a.bias.as<float>()[o];
    std::fill_n(zero, zeros, 0.0f);
    run_blocks(setting, {.x = picture.view(),
                         .w = a.w.as<float>(),
                         .y = a.y.as<float>(),
                         .bias = bias,
                         .zeros = zero,
                         .v = workspace.get<float>("V"),
                         .m = workspace.get<float>("M"),
                         .p = workspace.get<float>("panels")});
  };
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all = tile_options("4");
  for (const Option& option : simd::block_options()) all.push_back(option);
  all.push_back({"prefetch",
                 "Prefetch",
                 "Ask for the pixels of the next tile while one is transformed.",
                 {"on", "off"},
                 "on",
                 true});
  all.push_back(simd::fuse_option());
  return all;
}

std::vector<Rule> rules() {
  std::vector<Rule> all{simd::f32_only()};
  for (const Rule& rule : winograd_rules()) all.push_back(rule);
  return all;
}

}  // namespace

const Algorithm& winograd_cpu() {
  static const Algorithm row{
      .id = "winograd.cpu",
      .family = "winograd",
      .unit = Unit::cpu,
      .title = "Winograd, fused and fast",
      .sentence =
          "Transforms a block of tiles, multiplies it in a register tile and transforms it back, all in the cache.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308; Jia, Zlateski, Durand & Li, PPoPP 2018",
      .options = options(),
      .rules = rules(),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
