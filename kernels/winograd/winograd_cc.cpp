// winograd.cc: Winograd on CUDA cores, as a chain of kernels with V, U and M in memory.
//
//   transform_input    V = Bᵀ d B       n_h·n_w matrices (tiles, C_i)
//   transform_filter   U = G g Gᵀ       n_h·n_w matrices (C_i/G, C_o/G), for each group
//   gemm               M = V·U          n_h·n_w matrices (tiles, C_o)
//   transform_output   Y = Aᵀ M A
//
// V and M follow the layouts of x and y: channels are their fastest index in NHWC, tiles otherwise. The chain may be
// run for a chunk of images at a time, so that V and M of a chunk stay in the L2 cache.
#include <algorithm>
#include <limits>

#include "algorithms/problem/checked.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_passes.h"
#include "algorithms/winograd/winograd_rules.h"
#include "algorithms/winograd/winograd_stages.h"
#include "kernels/common/products.h"
#include "kernels/row.h"
#include "kernels/winograd/winograd.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMostPoints = 8;  // an axis, for m = auto: F(6, 3) keeps five digits
constexpr int kFilterThreads = 128;

// The block of kernels/winograd/fused.cu: tiles, output channels, and two slices of V and U in shared memory.
constexpr int kFusedThreads = 256;
constexpr std::int64_t kFusedTiles = 32, kFusedOutputs = 64;
constexpr std::int64_t kFusedSharedBytes = 2 * 16 * 8 * (kFusedTiles + 4 + kFusedOutputs) * kFloat;

// The request as the rules and matrices of every Winograd row read it: V and U in single precision.
Request with_m(Request request, std::int64_t m) {
  request.options.set("m", std::to_string(m));
  request.options.set("stored", "accumulator");
  return request;
}

// An estimate of what a call takes, in operations: a number that is written and read costs as much as `kTraffic` of
// them (53 TFLOPS against 4.2 TB/s on an H200).
double cost(const Request& request) {
  constexpr double kTraffic = 50;
  const TileAxis rows = tile_rows(request), columns = tile_columns(request);
  const auto points = static_cast<double>(rows.n() * columns.n());
  const auto tiles = static_cast<double>(request.problem.n() * rows.tiles() * columns.tiles());
  const auto ci = static_cast<double>(request.problem.ci()), co = static_cast<double>(request.problem.co());
  const auto cig = static_cast<double>(request.problem.ci_per_group());
  return points * (tiles * (2 * co * cig + kTraffic * (ci + co)) + kTraffic * co * cig);
}

bool fused(const Request& request) { return request.options.is("fuse", "on"); }

Request resolved(const Request& request) {
  if (fused(request) && request.options.is("m", "auto")) return with_m(request, 2);
  if (!request.options.is("m", "auto")) return with_m(request, request.options.integer("m"));
  const std::int64_t r = std::max(request.problem.hf(), request.problem.wf());
  Request best = with_m(request, 2);
  if (!request.options.is("points", "auto")) return best;
  for (std::int64_t m = 3; m + r - 1 <= kMostPoints; ++m)
    if (const Request larger = with_m(request, m); cost(larger) < cost(best)) best = larger;
  return best;
}

std::int64_t images_of_chunk(const Request& request) {
  const std::int64_t n = std::max<std::int64_t>(request.problem.n(), 1);
  return fused(request) || request.options.is("chunk_images", "all") ? n : std::min<std::int64_t>(n, request.options.integer("chunk_images"));
}

std::vector<double> numerators(const FractionMatrix& matrix) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (const std::int64_t numerator : integer_row(matrix, i).numerators)
      values.push_back(static_cast<double>(numerator));
  return values;
}

std::vector<double> denominators(const FractionMatrix& matrix) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    values.push_back(static_cast<double>(integer_row(matrix, i).denominator));
  return values;
}

// Everything that the steps of a call are written from.
struct Chain {
  Request request;
  std::shared_ptr<const Nested> nested;
  std::int64_t chunk;         // images
  bool images_fastest;        // among tiles
  bool v_tiles_fastest, m_tiles_fastest;  // among (tile, channel)

  explicit Chain(const Request& r) : request(r), nested(std::make_shared<const Nested>(nest(resolved(r)))) {
    chunk = images_of_chunk(r);
    const auto is = [](Layout layout) { return [layout](Layout other) { return layout == other; }; };
    images_fastest = (is(Layout::CHWN)(r.layouts.x) || is(Layout::CHWN)(r.layouts.y)) && r.problem.n() % chunk == 0;
    v_tiles_fastest = r.layouts.x != Layout::NHWC;
    m_tiles_fastest = r.layouts.y != Layout::NHWC;
  }

  const ConvProblem& problem() const { return request.problem; }
  std::int64_t tiles() const { return chunk * nested->tiles(); }  // of a chunk: the pitch of V and M
};

// V, U and M in the order in which the kernels write them; V and M hold one chunk at a time.
std::vector<Stage> stages(const Chain& chain) {
  std::vector<Stage> all = winograd_stages(chain.problem(), DType::f32, chain.nested);
  const auto lay_out = [&](Stage& stage, bool tiles_fastest) {  // axes ξ, ν, n, t, s, channel
    stage.axes[2].resident = std::min(chain.chunk, stage.axes[2].extent);
    std::vector<int> order{0, 1};
    if (tiles_fastest) order.push_back(5);
    for (const int axis : chain.images_fastest ? std::array{3, 4, 2} : std::array{2, 3, 4}) order.push_back(axis);
    if (!tiles_fastest) order.push_back(5);
    stage.lay_out(order);
  };
  lay_out(all[0], chain.v_tiles_fastest);
  all[1].lay_out({0, 1, 3, 2});
  lay_out(all[2], chain.m_tiles_fastest);
  if (fused(chain.request)) all[0].stored = all[2].stored = false;
  return all;
}

Kernel transform(const Chain& chain, const std::string& entry, int threads, bool tiles_fastest, bool staging) {
  const Nested& f = *chain.nested;
  std::vector<Constant> constants{
      {"threads", threads},
      {"tiles_fastest", tiles_fastest},
      {"images_fastest", chain.images_fastest},
      {"staging", staging},
      {"m_h", static_cast<int>(f.rows.m)},
      {"m_w", static_cast<int>(f.columns.m)},
      {"r_h", static_cast<int>(f.rows.r)},
      {"r_w", static_cast<int>(f.columns.r)},
  };
  const auto add = [&](const std::string& name, const FractionMatrix& matrix) {
    constants.emplace_back(name, numerators(matrix));
    constants.emplace_back(name + "_over", denominators(matrix));
  };
  add("bt_h", f.h.bt), add("bt_w", f.w.bt), add("g_h", f.h.g), add("g_w", f.w.g), add("at_h", f.h.at), add("at_w", f.w.at);
  Kernel made = kernel(chain.request, "winograd/" + entry + ".cu", entry, constants);
  made.sizes.push_back({"tiles_h", f.rows.tiles()});
  made.sizes.push_back({"tiles_w", f.columns.tiles()});
  made.sizes.push_back({"pitch", chain.tiles()});
  return made;
}

// A launch with one thread for each tile of the chunk and channel.
Launch tile_launch(const Chain& chain, const std::string& entry, bool tiles_fastest, bool staging, std::int64_t images,
                   std::int64_t channels) {
  const int threads = chain.nested->products() > 36 ? 64 : 128;  // as shared memory and registers allow
  const std::int64_t tiles = images * chain.nested->tiles();
  Launch launch;
  launch.kernel = transform(chain, entry, threads, tiles_fastest, staging);
  launch.grid = {tiles_fastest ? ceil_div(tiles, threads) * channels : ceil_div(tiles * channels, threads)};
  launch.block = {threads};
  return launch;
}

Products products(const Chain& chain, std::int64_t images) {
  const ConvProblem& p = chain.problem();
  const std::int64_t tiles = images * chain.nested->tiles(), pitch = chain.tiles();
  const std::int64_t cig = p.ci_per_group(), cog = p.co_per_group();
  const Matrices v{.first = buffer("V"),
                   .ld = chain.v_tiles_fastest ? pitch : p.ci(),
                   .k_contiguous = !chain.v_tiles_fastest,
                   .outer_step = pitch * p.ci(),
                   .inner_step = chain.v_tiles_fastest ? cig * pitch : cig};
  const Matrices u{.first = buffer("U"), .ld = p.co(), .outer_step = cig * p.co(), .inner_step = cog};
  const Matrices m{.first = buffer("M"),
                   .ld = chain.m_tiles_fastest ? pitch : p.co(),
                   .outer_step = pitch * p.co(),
                   .inner_step = chain.m_tiles_fastest ? cog * pitch : cog};
  Products made;
  made.sentence = "multiplies V and U point by point";
  made.k = cig, made.outer = chain.nested->products(), made.inner = p.groups();
  made.c = m;
  if (chain.m_tiles_fastest)
    made.m = cog, made.n = tiles, made.a = u, made.b = v;
  else
    made.m = tiles, made.n = cog, made.a = v, made.b = u;
  return made;
}

Launch filter_launch(const Chain& chain) {
  const ConvProblem& p = chain.problem();
  Launch launch;
  launch.sentence = "transforms the filter into U";
  launch.kernel = transform(chain, "transform_filter", kFilterThreads, false, false);
  launch.grid = {ceil_div(p.co() * p.ci_per_group(), kFilterThreads)};
  launch.block = {kFilterThreads};
  launch.arguments = {w(), buffer("U")};
  launch.writes = "U";
  return launch;
}

Launch fused_launch(const Chain& chain) {
  const ConvProblem& p = chain.problem();
  Launch launch;
  launch.sentence = "transforms tiles of the input, multiplies them by U and transforms back";
  launch.kernel = transform(chain, "winograd_fused", kFusedThreads, false, false);
  launch.kernel.file = "winograd/fused.cu";
  launch.kernel.constants.emplace_back(
      "vector_u", chain.request.options.is("vector_io", "on") && p.co() % 4 == 0 && p.co_per_group() % 4 == 0);
  launch.grid = {ceil_div(chain.tiles(), kFusedTiles) * p.groups() * ceil_div(p.co_per_group(), kFusedOutputs)};
  launch.block = {kFusedThreads};
  launch.shared_bytes = kFusedSharedBytes;
  launch.arguments = {x(), buffer("U"), bias(), y()};
  return launch;
}

std::vector<Step> steps(const Chain& chain, const Buffer& cublas_workspace) {
  const Request& request = chain.request;
  const ConvProblem& p = chain.problem();
  if (fused(request)) return {filter_launch(chain), fused_launch(chain)};
  // Staging serves where neighbouring tiles lie m_w apart in memory.
  const bool staging = request.options.is("staging", "on");
  const bool stage_x = staging && request.layouts.x == Layout::NCHW && !chain.images_fastest;
  const bool stage_y = staging && request.layouts.y == Layout::NCHW && !chain.images_fastest;

  std::vector<Step> all;
  all.emplace_back(filter_launch(chain));
  for (std::int64_t first = 0; first < p.n(); first += chain.chunk) {
    const std::int64_t images = std::min(chain.chunk, p.n() - first);
    Launch input = tile_launch(chain, "transform_input", chain.v_tiles_fastest, stage_x, images, p.ci());
    input.sentence = "transforms tiles of the input into V";
    input.arguments = {x(), buffer("V"), number(first), number(images)};
    input.writes = "V";
    all.emplace_back(std::move(input));

    const Products product = products(chain, images);
    if (request.options.is("gemm", "own")) {
      all.emplace_back(own_gemm(product, tiling(request.options, product.m, product.n), sizes_at_run_time(request)));
      std::get<Launch>(all.back()).writes = "M";
    } else {
      for (Step& step : cublas_gemm(product, cublas_workspace)) all.push_back(std::move(step));
    }

    Launch output = tile_launch(chain, "transform_output", chain.m_tiles_fastest, stage_y, images, p.co());
    output.sentence = "transforms M into the output";
    output.arguments = {buffer("M"), bias(), y(), number(first), number(images)};
    all.emplace_back(std::move(output));
  }
  return all;
}

// All that is executed, on padding and for overhanging outputs too; counted as winograd.ref counts.
std::int64_t executed_flops(const ConvProblem& p, const Nested& f) {
  const Transforms<float> transforms(f);
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    return checked::product("executed FLOPs", factors);
  };
  return checked::sum("executed FLOPs", {product({p.n(), f.tiles(), p.ci(), transforms.input.flops()}),
                                         product({p.co(), p.ci_per_group(), transforms.filter.flops()}),
                                         product({2, f.products(), p.n(), f.tiles(), p.co(), p.ci_per_group()}),
                                         product({p.n(), f.tiles(), p.co(), transforms.output.flops()})});
}

Decisions decide(const Request& request) {
  const Chain chain(request);
  const bool cublas = request.options.is("gemm", "cublas");
  const Buffer workspace = cublas_workspace();
  Decisions d = decisions({request, steps(chain, workspace)});
  d.stages = stages(chain);
  if (cublas) d.scratch = {workspace};
  d.executed_flops = executed_flops(chain.problem(), *chain.nested);
  d.error_model = winograd_error_model(chain.problem(), DType::f32, chain.nested);
  d.notes = {chain.nested->name() + " " + chain.nested->points(), cublas ? "gemm: cuBLAS" : "gemm: own"};
  return d;
}

// Winograd's own rules, which judge the request with its m chosen. What they propose keeps to this row's options.
std::vector<Rule> rules() {
  std::vector<Rule> all{f32_only(), int_offsets()};
  for (const Rule& rule : winograd_rules())
    all.push_back({rule.says, [rule](const Request& request) {
                     std::optional<Refusal> refusal = rule.refuse(resolved(request));
                     if (refusal && refusal->nearest) {
                       Request nearest = request;
                       nearest.problem = refusal->nearest->problem;
                       for (const char* option : {"m", "points"})
                         if (!request.options.is("m", "auto") || option != std::string("m"))
                           nearest.options.set(option, refusal->nearest->options[option]);
                       refusal->nearest = nearest;
                     }
                     return refusal;
                   }});
  all.push_back({"F(2x2,3x3) where fuse=on", [](const Request& request) -> std::optional<Refusal> {
                   if (!fused(request)) return std::nullopt;
                   const TileAxis rows = tile_rows(resolved(request)), columns = tile_columns(resolved(request));
                   if (rows.m == 2 && rows.r == 3 && columns.m == 2 && columns.r == 3) return std::nullopt;
                   Request nearest = request;
                   nearest.options.set("fuse", "off");
                   return Refusal{"winograd.cc: fuse=on needs F(2x2,3x3), got F(" + size_text(rows.m, columns.m) + "," +
                                      size_text(rows.r, columns.r) + ")",
                                  nearest};
                 }});
  all.push_back({"tiles of a chunk below 2^31", [](const Request& request) -> std::optional<Refusal> {
                   const Request asked = resolved(request);
                   const std::int64_t tiles = tile_rows(asked).tiles() * tile_columns(asked).tiles();
                   const std::int64_t most = kMostInt / tiles;
                   if (images_of_chunk(request) <= most) return std::nullopt;
                   Request nearest = request;
                   nearest.options.set("chunk_images", std::to_string(most));
                   return Refusal{"chunk_images: " + request.options["chunk_images"] + " makes more than 2147483647 tiles",
                                  most > 0 ? std::optional(nearest) : std::nullopt};
                 }});
  return all;
}

std::vector<Option> options() {
  std::vector<Option> all{
      {.id = "m",
       .title = "Output tile",
       .sentence = "How many outputs a tile makes along each axis on which the filter has several taps; auto weighs "
                   "products against the traffic of V and M, up to 8 points.",
       .values = {},
       .default_value = "auto",
       .accepts = [](std::string_view value) { return value == "auto" ? "" : integer_between(1, 8)(value); }},
      {.id = "points",
       .title = "Points",
       .sentence = "Where the polynomials are evaluated: m + filter - 2 fractions, as in 0,1,-1,1/2,-2.",
       .values = {},
       .default_value = "auto",
       .accepts = winograd_options()[1].accepts},
      {.id = "fuse",
       .title = "Fused",
       .sentence = "F(2x2,3x3) in one kernel, without V and M in memory.",
       .values = {"off", "on"},
       .default_value = "off"},
      {.id = "gemm", .title = "GEMM", .sentence = "Who multiplies V and U.", .values = {"own", "cublas"}, .default_value = "own"},
      {.id = "chunk_images",
       .title = "Images a chunk",
       .sentence = "How many images are taken through the chain at a time; V and M of few images stay in the L2 cache.",
       .values = {},
       .default_value = "all",
       .accepts = [](std::string_view value) { return value == "all" ? "" : integer_between(1, 1 << 20)(value); }},
      {.id = "staging",
       .title = "Staging in shared memory",
       .sentence = "Take tiles of NCHW tensors through shared memory, so that neighbouring threads touch neighbouring "
                   "elements.",
       .values = {"on", "off"},
       .default_value = "on",
       .ablation = true},
  };
  for (Option& option : tiling_options()) all.push_back(std::move(option));
  all.push_back(sizes_option());
  return all;
}

}  // namespace

const Algorithm& winograd_cc() {
  static const Algorithm row{
      .id = "winograd.cc",
      .family = "winograd",
      .unit = Unit::cc,
      .title = "Winograd on CUDA cores",
      .sentence = "Transforms tiles of the input and the filter, multiplies them point by point, transforms back.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308",
      .options = options(),
      .rules = rules(),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
