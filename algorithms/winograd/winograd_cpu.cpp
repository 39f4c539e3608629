// winograd.cpu: Winograd, fast: transformed, multiplied and transformed back a block of tiles at a time.
//
//   P = G_h g G_wᵀ              all filters, packed into panels of output channels           every call pays for it
//   for each block of tiles     shared out between threads
//     V = B_hᵀ d B_w            a vector of channels at a time                               in the L2 cache
//     for each panel            32 output channels with AVX-512
//       M = Σ_c P ⊙ V           n_h·n_w products on the register tile of simd/tile.h         in L1 and L2
//       Y = A_hᵀ M A_w + bias   a vector of channels at a time, into y
//
//   fuse=block     as above: V and M exist for one block (and panel) a thread
//   fuse=stored    all of V, then all of M, then y: the three passes of winograd.ref
//
// Each output passes through the same sums whatever the blocks, tiles and threads. Source: Lavin & Gray 2016 (arXiv
// 1509.09308), the fused form; blocks that fit a cache: Jia, Zlateski, Durand & Li, "Optimizing N-dimensional,
// Winograd- based convolution for manycore CPUs", PPoPP 2018.
#include <omp.h>

#include <algorithm>

#include "algorithms/problem/checked.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"
#include "algorithms/simd/tile.h"
#include "algorithms/winograd/tile_blocks.h"
#include "algorithms/winograd/vector_sandwich.h"
#include "algorithms/winograd/winograd.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_panels.h"
#include "algorithms/winograd/winograd_rules.h"
#include "algorithms/winograd/winograd_stages.h"

namespace convlens {

namespace {

// What is settled when the plan is made.
struct Setting {
  ConvProblem problem;
  std::shared_ptr<const Nested> nested;
  WinogradPanels panels;
  VectorSandwich input, filter, output;
  TileBlocking blocking;
  Stage v, m;
  bool stored, simd, prefetch;
  std::int64_t step;  // tiles that a register tile holds
  int threads;
};

struct Run {
  const Setting& setting;
  View<const float> x;
  View<float> y;
  const float *packed, *bias, *zeros;
  float *v, *m;  // of the first thread, or all

  const ConvProblem& p = setting.problem;
  const Nested& f = *setting.nested;
  const std::int64_t points = f.products();
  const std::int64_t v_point = setting.v.axes[1].stride, m_point = setting.m.axes[1].stride;

  // A block, and what to know of its tiles in the memory of the thread that works on it.
  struct Work {
    TileBlock block;
    std::vector<std::int64_t> v, m;  // where a tile begins, for its first point and channel
    std::vector<const float*> rows;
    std::vector<float*> products;
  };

  void begin(Work& work, std::int64_t index) const {
    work.block = setting.blocking.at(index);
    const auto tiles = static_cast<std::size_t>(work.block.tiles());
    work.v.resize(tiles), work.m.resize(tiles), work.rows.resize(tiles), work.products.resize(tiles);
    const std::int64_t thread = setting.stored ? 0 : omp_get_thread_num();
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      const auto at = static_cast<std::size_t>(i);
      work.v[at] = setting.v.offset({0, 0, n, t, s, 0}) + thread * setting.v.resident_cells();
      work.m[at] = setting.m.offset({0, 0, n, t, s, 0}) + thread * setting.m.resident_cells();
    });
  }

  // Where the n_h·n_w pixels of a tile lie; the padding is zeros.
  void find_pixels(std::int64_t n, std::int64_t t, std::int64_t s, const float** pixels) const {
    const std::int64_t first = f.columns.first_input(s), end = first + f.columns.n(), step = x.strides[3];
    for (std::int64_t h = f.rows.first_input(t); h < f.rows.first_input(t) + f.rows.n(); ++h) {
      const bool inside = f.rows.inside(h);
      const float* const row = inside ? &x(n, 0, h, 0) : zeros;
      for (std::int64_t w = first; w < end; ++w) *pixels++ = inside && f.columns.inside(w) ? row + w * step : zeros;
    }
  }

  // Asks for the pixels that a tile does not share with the one to its left.
  void prefetch(const float* const* pixels) const {
    constexpr std::int64_t kLine = 64 / sizeof(float);
    for (std::int64_t k = 0; k < points; ++k)
      if (k % f.columns.n() >= f.columns.n() - f.columns.m)
        for (std::int64_t c = 0; c < p.ci(); c += kLine) __builtin_prefetch(pixels[k] + c);
  }

  void transform_input(const Work& work) const {
    const float* pixels[2][kMaxTile];  // of a tile, and of the one before it, which is transformed meanwhile
    float* out[kMaxTile];
    for (std::int64_t k = 0; k < points; ++k) out[k] = v + k * v_point;
    const auto transform = [&](std::int64_t i) {
      setting.input.apply({.in = pixels[i % 2],
                           .out = out,
                           .out_offset = work.v[static_cast<std::size_t>(i)],
                           .rows = f.rows.n(),
                           .columns = f.columns.n(),
                           .channels = p.ci()},
                          setting.simd);
    };
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      find_pixels(n, t, s, pixels[i % 2]);
      if (setting.prefetch) prefetch(pixels[i % 2]);
      if (i > 0) transform(i - 1);
    });
    transform(work.block.tiles() - 1);
  }

  std::int64_t first_output(std::int64_t g, std::int64_t b) const {
    return g * p.co_per_group() + b * setting.panels.width();
  }
  std::int64_t outputs(std::int64_t b) const {
    return std::min(setting.panels.width(), p.co_per_group() - b * setting.panels.width());
  }
  std::int64_t place_in_m(std::int64_t o) const { return o % setting.m.axes[5].resident; }

  void multiply(Work& work, std::int64_t g, std::int64_t b) const {
    const auto tiles = static_cast<std::int64_t>(work.v.size());
    for (std::size_t i = 0; i < work.m.size(); ++i) work.products[i] = m + work.m[i];
    for (std::int64_t k = 0; k < points; ++k) {
      const float* const point = v + k * v_point + g * p.ci_per_group();
      for (std::size_t i = 0; i < work.v.size(); ++i) work.rows[i] = point + work.v[i];
      for (std::int64_t first = 0; first < tiles; first += setting.step) {
        const simd::Tile tile{.pixels = std::min(setting.step, tiles - first),
                              .segments = 1,
                              .length = p.ci_per_group(),
                              .rows = work.rows.data() + first,
                              .panel = packed + setting.panels.offset(k, g, b),
                              .bias = zeros,
                              .to = work.products.data() + first,
                              .to_offset = k * m_point + place_in_m(first_output(g, b)),
                              .channels = outputs(b)};
        setting.simd ? simd::multiply(tile) : simd::multiply_scalar(tile);
      }
    }
  }

  void transform_output(const Work& work, std::int64_t g, std::int64_t b) const {
    const std::int64_t o = first_output(g, b), channels = outputs(b);
    const bool contiguous = y.strides[1] == 1;
    const float* in[kMaxTile];
    float* out[kMaxTile];
    float apart[kMaxTile][simd::kMostWidth];  // outputs whose channels do not lie together in y
    for (std::int64_t k = 0; k < points; ++k) in[k] = m + k * m_point + place_in_m(o);
    for (std::size_t k = 0; k < kMaxTile; ++k) out[k] = apart[k];

    const std::int64_t tile_columns = f.columns.m, row_step = y.strides[2], column_step = y.strides[3];
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      const std::int64_t rows = f.rows.kept(t), columns = f.columns.kept(s);
      float* const first = &y(n, o, t * f.rows.m, s * tile_columns);
      const auto each = [&](auto&& visit) {
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t q = 0; q < columns; ++q)
            visit(r * tile_columns + q, first + r * row_step + q * column_step);
      };
      if (contiguous) each([&](std::int64_t at, float* to) { out[at] = to; });
      setting.output.apply({.in = in,
                            .in_offset = work.m[static_cast<std::size_t>(i)],
                            .out = out,
                            .add = bias + o,
                            .rows = rows,
                            .columns = columns,
                            .channels = channels},
                           setting.simd);
      if (!contiguous)
        for (std::int64_t j = 0; j < channels; ++j)
          each([&](std::int64_t at, float* to) { to[j * y.strides[1]] = apart[at][j]; });
    });
  }

  template <class Pass>
  void for_each_block(Pass&& pass) const {
#pragma omp parallel num_threads(setting.threads)
    {
      Work work;
#pragma omp for schedule(dynamic)
      for (std::int64_t index = 0; index < setting.blocking.count(); ++index) {
        begin(work, index);
        pass(work);
      }
    }
  }
  template <class Pass>
  void for_each_panel(Pass&& pass) const {
    for (std::int64_t g = 0; g < p.groups(); ++g)
      for (std::int64_t b = 0; b < setting.panels.per_group(); ++b) pass(g, b);
  }

  void operator()() const {
    if (setting.stored) {
      for_each_block([&](Work& work) { transform_input(work); });
      for_each_block(
          [&](Work& work) { for_each_panel([&](std::int64_t g, std::int64_t b) { multiply(work, g, b); }); });
      for_each_block(
          [&](Work& work) { for_each_panel([&](std::int64_t g, std::int64_t b) { transform_output(work, g, b); }); });
      return;
    }
    for_each_block([&](Work& work) {
      transform_input(work);
      for_each_panel([&](std::int64_t g, std::int64_t b) {
        multiply(work, g, b);
        transform_output(work, g, b);
      });
    });
  }
};

// As many tiles as keep V within half an L2 cache, but so many that panels are read from beyond it for several register
// tiles, and so few that every thread gets several blocks.
TileBlocking choose_blocking(const Request& request, const Nested& f, int threads) {
  constexpr std::int64_t kHalfL2 = 512 * 1024;
  const ConvProblem& p = request.problem;
  if (request.options.is("cache_block", "off")) return TileBlocking(p.n(), f, f.tiles());
  const std::int64_t fits = kHalfL2 / (f.products() * p.ci() * size_of(DType::f32));
  if (getenv("WT")) return TileBlocking(p.n(), f, atoi(getenv("WT")));
  const std::int64_t shared = p.n() * f.tiles() / (4 * threads);
  return TileBlocking(p.n(), f, std::max<std::int64_t>(simd::tile_pixels(), std::min(fits, shared)));
}

// A transform makes whole tiles, a product is a multiplication and an addition, and the bias is not counted.
std::int64_t executed_flops(const Setting& s) {
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
  const bool stored = request.options.is("fuse", "stored");
  const WinogradPanels panels(problem, *nested);
  const TileBlocking blocking = choose_blocking(request, *nested, threads);

  std::vector<Stage> stages = winograd_stages(problem, request.dtype, nested);
  Stage &v = stages[0], &u = stages[1], &m = stages[2];
  u.stored = false;
  if (!stored) {
    for (Stage* stage : {&v, &m}) {
      stage->axes[2].resident = std::min(problem.n(), blocking.images);
      stage->axes[3].resident = blocking.rows;
      stage->axes[4].resident = blocking.columns;
      stage->copies = threads;
    }
    // One panel's products, unless the panels of a group begin elsewhere than those of the next.
    const bool aligned = problem.groups() == 1 || problem.co_per_group() % panels.width() == 0;
    m.axes[5].resident = std::min(problem.co_per_group(), aligned ? panels.width() : problem.co_per_group());
    v.lay_out(); if (getenv("VT")) v.lay_out({2,3,4,0,1,5}); m.lay_out(); if (getenv("MT")) m.lay_out({2,3,4,0,1,5});
  }
  const Setting setting{
      .problem = problem,
      .nested = nested,
      .panels = panels,
      .input = {nested->h.bt, nested->w.bt},
      .filter = {nested->h.g, nested->w.g},
      .output = {nested->h.at, nested->w.at},
      .blocking = blocking,
      .v = v,
      .m = m,
      .stored = stored,
      .simd = request.options.is("simd", "on"),
      .prefetch = getenv("NOPF") == nullptr,
      .step = request.options.is("register_tile", "on") ? simd::tile_pixels() : 1,
      .threads = threads,
  };

  Decisions d;
  d.stages = stages;
  d.stages.push_back(panels.stage(problem, nested, stage_operand(1)));
  for (const Stage& picture : simd::picture_stages(request)) d.stages.push_back(picture);
  const std::int64_t zeros = std::max(problem.ci(), panels.width());
  d.scratch = {{"bias", problem.co() * size_of(DType::f32)}, {"zeros", zeros * size_of(DType::f32)}};
  d.executed_flops = executed_flops(setting);
  d.error_model = winograd_error_model(problem, request.dtype, nested);
  d.notes = {nested->name() + " " + nested->points(), "instructions: " + simd::instruction_set(),
             "blocks of " + std::to_string(blocking.tiles()) + " tiles"};
  d.execute = [setting, request, zeros](const Arguments& a, const Workspace& workspace, int, Stream) {
    const simd::Picture picture(request, a.x, workspace);
    float* const packed = workspace.get<float>("panels");
    float* const bias = workspace.get<float>("bias");
    float* const zero = workspace.get<float>("zeros");
    for (std::int64_t o = 0; o < setting.problem.co(); ++o) bias[o] = a.bias.as<float>()[o];
    std::fill_n(zero, zeros, 0.0f);
    setting.panels.fill(setting.problem, setting.filter, a.w.as<float>(), packed, setting.simd, setting.threads);
    Run{setting, picture.view(), a.y.as<float>(),           packed,
        bias,    zero,           workspace.get<float>("V"), workspace.get<float>("M")}();
  };
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all = tile_options("4");
  for (const Option& option : simd::block_options()) all.push_back(option);
  all.push_back({"fuse",
                 "Fusion",
                 "Transform, multiply and transform back a block of tiles in the cache, or store V and M as a whole.",
                 {"block", "stored"},
                 "block",
                 true});
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
