// fft.cpu: convolution by FFT, fast: overlap-save tiles of P × P points, a block of them at a time.
//
//   X̂ = FFT(tile of x)        a vector of channels at a time (vector_transform.h)
//   Ŵ = FFT(filter)           an output channel a lane, packed into panels (fft_panels.h)
//   Ŷ = Σ_c X̂ · conj Ŵ        for each bin, as real products on the register tile of simd/tile.h
//   y = IFFT(Ŷ) + bias        the outputs that have not wrapped
//
// Ŷ is made for one block of tiles and one panel, and transformed into y while it is in the cache; of X̂ and Ŵ the
// larger is made in pieces too (simd/tile_loop.h). Every call pays for all of it, the filters included.
//
// A tile of P points makes m = ⌊(P − extent)/s⌋ + 1 outputs along an axis from P·(P/2 + 1) complex products: with a 3×3
// filter 36 outputs from 40 (P = 8), 196 from 144 (16), 900 from 544 (32), where the definition takes 9 real ones each.
// tile=auto takes the P of the fewest FLOPs. Sources: Vasilache et al. (fbfft), 2015, arXiv 1412.7580; Zlateski, Jia,
// Li & Durand, "The anatomy of efficient FFT and Winograd convolutions on modern CPUs", ICS 2019, arXiv 1809.07851.
#include <algorithm>

#include "algorithms/fft/fft.h"
#include "algorithms/fft/fft_blocks.h"
#include "algorithms/fft/fft_error.h"
#include "algorithms/fft/fft_stages.h"
#include "algorithms/fft/vector_transform.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"

namespace convlens {

namespace {

std::int64_t longest_extent(const ConvProblem& p) { return std::max(p.extent_h(), p.extent_w()); }

std::int64_t tile_length(const Request& request) {
  if (!request.options.is("tile", "auto")) return request.options.integer("tile");
  std::int64_t best = fft::kLongestTile;
  for (std::int64_t length = best / 2; length >= 8; length /= 2)
    if (length >= longest_extent(request.problem) &&
        fft::executed_flops(request.problem, {length, length}) < fft::executed_flops(request.problem, {best, best}))
      best = length;
  return best;
}

std::optional<Refusal> filter_fits_tile(const Request& request) {
  const ConvProblem& p = request.problem;
  const bool automatic = request.options.is("tile", "auto");
  const std::int64_t longest = automatic ? fft::kLongestTile : request.options.integer("tile");
  if (longest_extent(p) <= longest) return std::nullopt;
  Refusal refusal{"fft: tile " + std::to_string(longest) + ", must be ≥ the dilated filter's extent " +
                      std::to_string(p.extent_h()) + "x" + std::to_string(p.extent_w()),
                  {}};
  if (longest_extent(p) <= fft::kLongestTile) {
    refusal.nearest = request;
    refusal.nearest->options.set("tile", "auto");
  }
  return refusal;
}

// As many tiles as keep X̂ and the products of a panel within a quarter of an L2 cache; at least two register tiles, so
// that panels, which are larger than the cache, are read less often.
simd::TileBlocking choose_blocking(const Request& request, const fft::InputSpectrumMap& map, std::int64_t length,
                                   std::int64_t width) {
  constexpr std::int64_t kQuarterL2 = 256 * 1024;
  const std::int64_t fits = kQuarterL2 / (fft::bins_of(length) * size_of(DType::f32)) / (request.problem.ci() + width);
  const std::int64_t most = std::max<std::int64_t>(2 * simd::tile_pixels(), fits);
  const bool blocked = request.options.is("cache_block", "on");
  return {request.problem.n(), map.rows.tiles, map.columns.tiles, blocked ? most : map.rows.tiles * map.columns.tiles};
}

Decisions decide(const Request& request) {
  if (const auto refusal = filter_fits_tile(request)) throw Unsupported(refusal->reason);
  const ConvProblem problem = request.problem;
  const std::int64_t length = tile_length(request);
  const fft::Lengths lengths{length, length};
  const fft::InputSpectrumMap map(problem, lengths);
  const int threads = simd::used_threads(request);
  const fft::SpectrumPanels panels(problem, length);
  const simd::TileBlocking blocking = choose_blocking(request, map, length, panels.width());
  const simd::TileOrder order = simd::choose_order(request, blocking, panels.count(), threads);

  Decisions d;
  d.stages = fft::stages(problem, request.dtype, lengths);
  d.stages.push_back(panels.stage(stage_operand(1)));
  Stage &x_hat = d.stages[0], &w_hat = d.stages[1], &y_hat = d.stages[2], &packed = d.stages[3];
  w_hat.stored = false;
  const auto keep_block = [&](Stage& stage) {
    stage.axes[0].resident = std::min(problem.n(), blocking.images);
    stage.axes[2].resident = blocking.rows;
    stage.axes[3].resident = blocking.columns;
    stage.copies = threads;
  };
  if (order == simd::TileOrder::tiles) keep_block(x_hat);
  if (order == simd::TileOrder::panels) {
    packed.axes[2].resident = 1;
    packed.copies = threads;
  }
  if (order != simd::TileOrder::stored) keep_block(y_hat);
  x_hat.axes[1].resident = simd::odd_lines(problem.ci());
  y_hat.axes[1].resident = simd::resident_outputs(problem, panels.width(), order);
  for (Stage* stage : {&x_hat, &y_hat}) stage->lay_out({4, 5, 0, 2, 3, 1});
  packed.lay_out({2, 0, 1, 3, 4});

  const fft::BlockSetting setting{
      .problem = problem,
      .length = length,
      .map = map,
      .panels = panels,
      .blocking = blocking,
      .order = order,
      .x_hat = x_hat,
      .y_hat = y_hat,
      .p = packed,
      .vectors = request.options.is("simd", "on"),
      .step = request.options.is("register_tile", "on") ? simd::tile_pixels() : 1,
      .threads = threads,
  };
  d.scratch = {{"negated", x_hat.bytes() / 2},
               {"gathered", threads * panels.gathered_floats() * size_of(DType::f32)},
               {"gathered_bias", problem.co() * size_of(DType::f32)},
               {"zeros", panels.width() * size_of(DType::f32)}};
  for (const Stage& picture : simd::picture_stages(request)) d.stages.push_back(picture);
  d.executed_flops = fft::executed_flops(problem, lengths);
  d.error_model = fft::error_model(problem, request.dtype, lengths, Spread::tile);
  d.notes = {"transform: " + std::to_string(length) + "x" + std::to_string(length) + " points, " +
                 std::to_string(map.rows.tiles) + "x" + std::to_string(map.columns.tiles) + " tiles",
             "instructions: " + simd::instruction_set(), "blocks of " + std::to_string(blocking.tiles()) + " tiles"};
  d.execute = [setting, request](const Arguments& a, const Workspace& workspace, int, Stream) {
    const simd::Picture picture(request, a.x, workspace);
    float* const bias = workspace.get<float>("gathered_bias");
    float* const zeros = workspace.get<float>("zeros");
    for (std::int64_t o = 0; o < setting.problem.co(); ++o) bias[o] = a.bias.as<float>()[o];
    std::fill_n(zeros, setting.panels.width(), 0.0f);
    fft::run_blocks(setting, {.x = picture.view(),
                              .w = a.w.as<float>(),
                              .y = a.y.as<float>(),
                              .bias = bias,
                              .zeros = zeros,
                              .x_hat = workspace.get<float>("input_spectra"),
                              .negated = workspace.get<float>("negated"),
                              .y_hat = workspace.get<float>("product_spectra"),
                              .p = workspace.get<float>("panels"),
                              .gathered = workspace.get<float>("gathered")});
  };
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all{{"tile",
                           "Tile length",
                           "The points along each axis of a tile's transform; auto takes those of the fewest FLOPs.",
                           {"auto", "8", "16", "32"},
                           "auto"}};
  for (const Option& option : simd::block_options()) all.push_back(option);
  all.push_back(simd::fuse_option());
  return all;
}

}  // namespace

const Algorithm& fft_cpu() {
  static const Algorithm row{
      .id = "fft.cpu",
      .family = "fft",
      .unit = Unit::cpu,
      .title = "FFT on overlap-save tiles, fast",
      .sentence = "Transforms a block of tiles, multiplies their spectra in a register tile and transforms them back.",
      .source = "Vasilache et al. 2015, arXiv 1412.7580; Zlateski et al. 2019, arXiv 1809.07851",
      .options = options(),
      .rules = {simd::f32_only(), {"dilated filter no longer than the tile", filter_fits_tile}},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
