#include "kernels/winograd/chain.h"

#include <algorithm>
#include <array>

#include "algorithms/winograd/winograd_stages.h"
#include "kernels/common/pieces.h"
#include "kernels/common/products.h"
#include "kernels/row.h"
#include "kernels/winograd/chain_tiles.h"

namespace convlens::gpu {

namespace {

constexpr int kFilterThreads = 128;

// The block of kernels/winograd/winograd_fused.cu: tiles, output channels, and two slices of V and U in shared memory.
constexpr int kFusedThreads = 256;
constexpr std::int64_t kFusedTiles = 32, kFusedOutputs = 64;
constexpr std::int64_t kFusedSharedBytes = 2 * 16 * 8 * (kFusedTiles + kFusedOutputs) * 4;

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

// A matrix of the algorithm, and its name in the kernels.
struct Named {
  std::string name;
  FractionMatrix CookToom::*matrix;
};
const Named kBt{"bt", &CookToom::bt}, kG{"g", &CookToom::g}, kAt{"at", &CookToom::at};

// The kernel `entry` of the file of that name, which applies `matrices`.
Kernel transform(const Chain& chain, const std::string& entry, const std::vector<Named>& matrices, int threads,
                 bool tiles_fastest = false, bool staging = false) {
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
  for (const auto& [name, matrix] : matrices)
    for (const auto& [axis, of_axis] : {std::pair("_h", &f.scaled_h), std::pair("_w", &f.w)}) {
      constants.emplace_back(name + axis, numerators(of_axis->*matrix));
      constants.emplace_back(name + axis + "_over", denominators(of_axis->*matrix));
    }
  Kernel made = kernel(chain.request, "winograd/" + entry + ".cu", entry, constants);
  made.architectures.least = 75;
  made.sizes.push_back({"tiles_h", f.rows.tiles()});
  made.sizes.push_back({"tiles_w", f.columns.tiles()});
  made.sizes.push_back({"pitch", chain.tiles()});
  return made;
}

// How many tiles a block transforms, as shared memory and registers allow.
int tile_threads(const Chain& chain) { return chain.nested->products() > 36 ? 64 : 128; }

// A launch of `transforms` with one thread for each tile of the chunk and channel.
Launch tile_launch(const Chain& chain, const Kernel& transforms, bool tiles_fastest, std::int64_t images,
                   std::int64_t channels) {
  const int threads = tile_threads(chain);
  const std::int64_t tiles = images * chain.nested->tiles();
  Launch launch;
  launch.kernel = transforms;
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
  const Matrices u{.first = buffer("U"),
                   .ld = chain.u_inputs_fastest ? cig : p.co(),
                   .k_contiguous = chain.u_inputs_fastest,
                   .outer_step = cig * p.co(),
                   .inner_step = chain.u_inputs_fastest ? cog * cig : cog};
  const Matrices m{.first = buffer("M"),
                   .ld = chain.m_tiles_fastest ? pitch : p.co(),
                   .outer_step = pitch * p.co(),
                   .inner_step = chain.m_tiles_fastest ? cog * pitch : cog};
  Products made;
  made.sentence = "multiplies V and U point by point";
  made.k = cig, made.outer = chain.nested->products(), made.inner = p.groups();
  made.in = chain.request.dtype;
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
  launch.kernel = transform(chain, "transform_filter", {kG}, kFilterThreads);
  launch.kernel.constants.emplace_back("inputs_fastest", chain.u_inputs_fastest);
  launch.grid = {ceil_div(p.co() * p.ci_per_group(), kFilterThreads)};
  launch.block = {kFilterThreads};
  launch.arguments = {w(), buffer("U")};
  launch.writes = "U";
  launch.tiles = [chain](const Dim3& block) { return filter_boxes(chain, kFilterThreads, block.x); };
  return launch;
}

Launch fused_launch(const Chain& chain) {
  const ConvProblem& p = chain.problem();
  Launch launch;
  launch.sentence = "transforms tiles of the input, multiplies them by U and transforms back";
  launch.kernel = transform(chain, "winograd_fused", {kBt, kAt}, kFusedThreads);
  launch.kernel.architectures = {};
  launch.kernel.constants.emplace_back(
      "vector_u", chain.request.options.is("vector_io", "on") && p.co() % 4 == 0 && p.co_per_group() % 4 == 0);
  launch.grid = {ceil_div(chain.tiles(), kFusedTiles) * p.groups() * ceil_div(p.co_per_group(), kFusedOutputs)};
  launch.block = {kFusedThreads};
  launch.shared_bytes = kFusedSharedBytes;
  launch.arguments = {x(), buffer("U"), bias(), y()};
  launch.tiles = [chain](const Dim3& block) { return fused_boxes(chain, kFusedTiles, kFusedOutputs, block.x); };
  return launch;
}

}  // namespace

Chain::Chain(const Request& r, const Request& resolved, std::int64_t chunk_images)
    : request(r),
      nested(std::make_shared<const Nested>(nest(resolved))),
      fused(resolved.options.is("fuse", "on")),
      chunk(chunk_images),
      // The last chunk must not be smaller, as it would lie in another order.
      images_fastest((r.layouts.x == Layout::CHWN || r.layouts.y == Layout::CHWN) && r.problem.n() % chunk == 0),
      v_tiles_fastest(r.layouts.x != Layout::NHWC),
      m_tiles_fastest(r.layouts.y != Layout::NHWC),
      u_inputs_fastest(size_of(r.dtype) == 2) {}

std::vector<Stage> stages(const Chain& chain) {
  std::vector<Stage> all = winograd_stages(chain.problem(), chain.request.dtype, chain.nested);
  const auto lay_out = [&](Stage& stage, bool tiles_fastest) {  // axes ξ, ν, n, t, s, channel
    stage.axes[2].resident = std::min(chain.chunk, stage.axes[2].extent);
    std::vector<int> order{0, 1};
    if (tiles_fastest) order.push_back(5);
    for (const int axis : chain.images_fastest ? std::array{3, 4, 2} : std::array{2, 3, 4}) order.push_back(axis);
    if (!tiles_fastest) order.push_back(5);
    stage.lay_out(order);
  };
  lay_out(all[0], chain.v_tiles_fastest);
  if (chain.u_inputs_fastest)
    all[1].lay_out();
  else
    all[1].lay_out({0, 1, 3, 2});
  lay_out(all[2], chain.m_tiles_fastest);
  if (chain.fused) all[0].stored = all[2].stored = false;
  return all;
}

std::vector<Step> steps(const Chain& chain, const Buffer& workspace) {
  const Request& request = chain.request;
  const ConvProblem& p = chain.problem();
  if (chain.fused) return {filter_launch(chain), fused_launch(chain)};
  // Staging serves where neighbouring tiles lie m_w apart in y.
  const bool staging =
      request.options.is("staging", "on") && request.layouts.y == Layout::NCHW && !chain.images_fastest;

  require_few_pieces(p.n(), chain.chunk);
  std::vector<Step> all;
  all.emplace_back(filter_launch(chain));
  // Of all chunks; the matrices' fractions are written out once.
  const int threads = tile_threads(chain);
  const Kernel forward = transform(chain, "transform_input", {kBt}, threads, chain.v_tiles_fastest);
  const Kernel back = transform(chain, "transform_output", {kAt}, threads, chain.m_tiles_fastest, staging);
  for (std::int64_t first = 0; first < p.n(); first += chain.chunk) {
    const std::int64_t images = std::min(chain.chunk, p.n() - first);
    Launch input = tile_launch(chain, forward, chain.v_tiles_fastest, images, p.ci());
    input.sentence = "transforms tiles of the input into V";
    input.arguments = {x(), buffer("V"), number(first), number(images)};
    input.writes = "V";
    input.tiles = [chain, first, images, threads](const Dim3& block) {
      return input_boxes(chain, first, images, threads, block.x);
    };
    all.emplace_back(std::move(input));

    const Products product = products(chain, images);
    if (request.options.is("gemm", "own")) {
      const Tiling shape = tiling(request.options, product);
      Launch multiply = own_gemm(product, shape, sizes_at_run_time(request));
      multiply.writes = "M";
      multiply.tiles = [chain, product, shape, first, images](const Dim3& block) {
        return product_boxes(chain, product_tile(product, shape, block), first, images);
      };
      all.emplace_back(std::move(multiply));
    } else {
      for (Step& step : cublas_gemm(product, workspace)) all.push_back(std::move(step));
    }

    Launch output = tile_launch(chain, back, chain.m_tiles_fastest, images, p.co());
    output.sentence = "transforms M into the output";
    output.arguments = {buffer("M"), bias(), y(), number(first), number(images)};
    output.tiles = [chain, first, images, threads](const Dim3& block) {
      return output_boxes(chain, first, images, threads, block.x);
    };
    all.emplace_back(std::move(output));
  }
  return all;
}

}  // namespace convlens::gpu
