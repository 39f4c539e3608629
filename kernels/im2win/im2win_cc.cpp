// im2win.cc: im2win on CUDA cores. Its ladder is a set of named options of the same kernel, im2win.cc:naive to
// im2win.cc:double_buffered (kernels/common/tile.h); each rung also with window=stored, where the im2win tensor is
// formed in memory first, as the papers do.
#include <algorithm>
#include <limits>

#include "algorithms/error.h"
#include "algorithms/im2win/im2win.h"
#include "kernels/common/packed_filter.h"
#include "kernels/common/tile.h"
#include "kernels/im2win/im2win.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;     // of the kernels that have a thread a cell or an output
constexpr int kCellBytes = 8;     // of window.cuh
constexpr int kImagesAcross = 8;  // units of images side by side in CHWN: 128 bytes of a row of images

// A tile and the strips under it, by the formulas of strip.cuh.
struct Strips {
  TileShape tile;
  RowWindow window;
  int channels = 1;
  std::int64_t positions = 0, floats = 0, pitch = 0;  // of a channel's strip
  std::int64_t per_row = 1, rows = 1, tiles = 1;      // groups of units a row of y; all rows; tiles of pixels

  Strips(const Request& request, const TileShape& tile, int images_across)
      : tile(tile), window(request, images_across) {
    const ConvProblem& p = request.problem;
    per_row = ceil_div(p.wo(), window.unit_columns());
    rows = ceil_div(p.n(), window.images()) * p.ho();
    tiles = ceil_div(rows * per_row, groups());
    const std::int64_t rows_touched = (groups() + per_row - 2) / per_row + 1;
    positions = groups() * window.step + rows_touched * window.halo;
    floats = window.phases * positions * window.position_floats;
    channels = stage_channels(p, tile, static_cast<int>(p.wf()), [&](int count) { return bytes(request, count); });
    pitch = channel_pitch(request, channels, floats);
  }
  int groups() const { return tile.units() / window.across(); }
  std::int64_t cells() const { return floats / window.copy_floats; }
  PackedFilter filter(const ConvProblem& p) const { return {tile.m, channels, static_cast<int>(p.wf())}; }
  std::int64_t bytes(const Request& request, int count) const {  // of shared memory, with `count` channels a stage
    const std::int64_t operands = count * (tile.m * request.problem.wf() + channel_pitch(request, count, floats));
    return std::max<std::int64_t>(tile.staged_bytes(), slot_count(request) * operands * 4 + cells() * kCellBytes);
  }

  // The rows of y, or of several images' y, that the tile of `block` covers, piece by piece.
  std::vector<Box> boxes(const ConvProblem& p, const Dim3& block) const {
    const auto [first_o, channels_of_tile, tile_row] = filter(p).tile_of(p, block);
    std::vector<Box> boxes;
    std::int64_t first = tile_row * groups();
    const std::int64_t end = std::min(first + groups(), rows * per_row);
    while (first < end) {
      const std::int64_t row = first / per_row, next = std::min(end, (row + 1) * per_row);
      const std::int64_t n = row / p.ho() * window.images(), q = first % per_row * window.unit_columns();
      boxes.push_back({{n, first_o, row % p.ho(), q},
                       {std::min<std::int64_t>(window.images(), p.n() - n), channels_of_tile, 1,
                        std::min((next - first) * window.unit_columns(), p.wo() - q), 1, 1}});
      first = next;
    }
    return boxes;
  }
};

// Of all tiles and both kinds of units that are allowed, what costs least.
Strips choose_strips(const Request& request) {
  const bool chwn = request.layouts.x == Layout::CHWN;
  std::optional<Strips> best;
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : candidate_tiles(request))
    for (const bool images : {false, true}) {
      const std::string_view unit = images ? "images" : "columns";
      if (!request.options.is("unit", "auto") && !request.options.is("unit", unit)) continue;
      if (request.options.is("unit", "auto") && chwn && !images) continue;
      int across = 1;
      while (chwn && 2 * across <= kImagesAcross && 8 * across <= request.problem.n() &&
             tile.units() % (2 * across) == 0)
        across *= 2;
      const Strips strips(request, tile, images ? across : 0);
      const std::int64_t tiles = strips.tiles * strips.filter(request.problem).tiles(request.problem);
      const double needed =
          cost(request, tile, tiles, strips.bytes(request, strips.channels),
               request.problem.ci_per_group() * request.problem.hf(),
               {.values = static_cast<double>(request.problem.wf()),
                .window_loads = static_cast<double>(strips.window.loads),
                .copies = static_cast<double>(strips.cells()),
                .floats = static_cast<double>(strips.floats)},
               !images, std::min<std::int64_t>(request.problem.wo(), strips.groups() * strips.window.unit_columns()));
      if (!best || needed < least) least = needed, best = strips;
    }
  return *best;
}

Stage tensor_stage(const Request& request, bool stored) {
  const bool nhwc = request.layouts.x == Layout::NHWC;
  Stage stage = im2win_stage(request.problem, request.dtype, nhwc ? WindowOrder::NHWC : WindowOrder::NCHW);
  if (request.layouts.x == Layout::CHWN) stage.lay_out({1, 2, 3, 4, 0});
  stage.stored = stored;
  return stage;
}

Launch transform(const Request& request, const Stage& tensor) {
  return {
      .sentence = "stores the im2win tensor",
      .kernel = kernel(request, "im2win/im2win_transform.cu", "im2win_transform", {{"threads", kThreads}}),
      .grid = {ceil_div(tensor.cells(), kThreads)},
      .block = {kThreads},
      .arguments = {x(), buffer("im2win")},
      .writes = "im2win",
  };
}

Launch product(const Request& request, const Strips& strips, bool stored, bool naive) {
  const ConvProblem& p = request.problem;
  const bool ragged = p.ci_per_group() % strips.channels != 0;
  std::vector<Constant> constants =
      tile_constants(request, strips.tile, strips.channels, strips.pitch, strips.window.copy_floats);
  const std::vector<Constant> window = window_constants(request, strips.window);
  constants.insert(constants.end(), window.begin(), window.end());
  constants.insert(constants.end(), {{"strip_positions", static_cast<int>(strips.positions)},
                                     {"checked", stored ? ragged : needs_checks(p, strips.channels)},
                                     {"stored", stored},
                                     {"naive", naive}});
  Launch launch{
      .sentence = stored ? "multiplies the windows of the im2win tensor"
                         : "forms strips of the im2win tensor and multiplies their windows",
      .kernel = kernel(request, "im2win/im2win_cc.cu", "im2win_cc", std::move(constants)),
      .grid = {strips.tiles * strips.filter(p).tiles(p)},
      .block = {strips.tile.threads()},
      .shared_bytes = strips.bytes(request, strips.channels),
      .arguments = {stored ? buffer("im2win") : x(), PackedFilter::argument(request), bias(), y()},
  };
  if (naive) {
    launch.grid = {ceil_div(elements(p.y_shape()), strips.tile.threads())};
    launch.shared_bytes = 0;
    launch.arguments[1] = w();
  } else {
    launch.tiles = [strips, p](const Dim3& block) { return strips.boxes(p, block); };
  }
  check_shared_memory(launch);
  return launch;
}

Decisions decide(const Request& request) {
  const bool stored = request.options.is("window", "stored"), naive = request.options.is("tiling", "naive");
  const Strips strips = choose_strips(request);
  const PackedFilter filter = strips.filter(request.problem);
  const Stage tensor = tensor_stage(request, stored);
  std::vector<Step> steps;
  if (stored) steps.push_back(transform(request, tensor));
  if (!naive)
    for (Step& step : filter.steps(request)) steps.push_back(std::move(step));
  steps.push_back(product(request, strips, stored, naive));

  Decisions d = decisions({request, std::move(steps)});
  d.stages = {tensor};
  if (!naive) d.stages.push_back(filter.stage(request));
  d.executed_flops = request.problem.flops();
  d.error_model = plain_sum_model(request.problem, request.dtype);
  if (!naive)
    d.notes = {"tile: " + strips.tile.text() + ", units of four " + (strips.window.by_images() ? "images" : "columns")};
  return d;
}

Rule int_tensor() {
  return {"Î " + kUpToMostCounted + " elements with window=stored",
          [](const Request& request) -> std::optional<Refusal> {
            const bool stored = request.options.is("window", "stored");
            const std::int64_t cells = tensor_stage(request, stored).cells();
            const std::string why = why_not_counted("window: stored, the im2win tensor", cells, "elements");
            if (!stored || why.empty()) return std::nullopt;
            Request nearest = request;
            nearest.options.set("window", "fused");
            return Refusal{why, nearest};
          }};
}

std::vector<Option> options() {
  std::vector<Option> all = tile_options();
  all.insert(all.begin(), {tiling_option(),
                           {"window",
                            "Window",
                            "Form the windows in shared memory where they are multiplied, or store them all first.",
                            {"fused", "stored"},
                            "fused",
                            true},
                           unit_option(),
                           swizzle_option()});
  return all;
}

}  // namespace

const Algorithm& im2win_cc() {
  static const Algorithm row{
      .id = "im2win.cc",
      .family = "im2win",
      .unit = Unit::cc,
      .title = "im2win on CUDA cores",
      .sentence = "Forms strips of the im2win tensor in shared memory and reads every tap's window there.",
      .source = "Lu, Chu & Liu, Euro-Par 2023, arXiv 2306.14316",
      .options = options(),
      .rules = {f32_only(), int_offsets(), int_indices(), int_tensor()},
      .decide = decide,
      .named_options = ladder(/*has_naive=*/true),
  };
  return row;
}

}  // namespace convlens::gpu
