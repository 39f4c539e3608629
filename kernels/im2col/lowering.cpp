#include "kernels/im2col/lowering.h"

#include <algorithm>

#include "algorithms/im2col/im2col.h"
#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/products.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr int kThreads = 256;
constexpr std::int64_t kPixels = 32;    // of a block of the lowering, at most
constexpr std::int64_t kCells = 8192;   // of A: blocks with few columns take more pixels
constexpr std::int64_t kColumns = 512;  // of A, of a block of the lowering, about

// The part of A that a block of kernels/im2col/lower.cu makes.
struct LoweringTile {
  std::int64_t c = 1, q = 1, n = 1;
  std::int64_t patch_bytes = 0;  // of x
};

LoweringTile lowering_tile(const Request& request, std::int64_t images) {
  const ConvProblem& p = request.problem;
  LoweringTile tile;
  const std::int64_t columns = std::min(p.ci() * p.taps(), std::max(kColumns, p.taps()));
  const std::int64_t most = std::max(kPixels, kCells / columns);
  if (request.layouts.x == Layout::CHWN)
    tile.n = std::clamp<std::int64_t>(images, 1, kPixels);
  else
    tile.q = ceil_div(p.wo(), ceil_div(p.wo(), most));  // as even as can be
  const auto bytes = [&] {
    const std::int64_t pitch = tile.n > 1 ? tile.n + 1 : 1;
    return tile.c * p.hf() * ((tile.q - 1) * p.spec().stride_w + p.extent_w()) * pitch * kFloat;
  };
  while (bytes() > kMostPatchBytes && tile.q * tile.n > 1) tile.q = (tile.q + 1) / 2, tile.n = (tile.n + 1) / 2;
  tile.c = std::clamp<std::int64_t>(std::min(kColumns / p.taps(), kMostPatchBytes / bytes()), 1, p.ci());
  if (tile.c > 8) tile.c = tile.c / 8 * 8;  // columns of a block then begin at multiples of 32 bytes
  tile.patch_bytes = bytes();
  return tile;
}

// Everything that the steps of a call are written from.
struct Lowering {
  Request request;
  std::int64_t pass;    // images that are lowered at a time
  bool images_fastest;  // among the rows of A, as in y

  explicit Lowering(const Request& r)
      : request(r), pass(images_of_pass(r)), images_fastest(r.layouts.y == Layout::CHWN) {}

  const ConvProblem& problem() const { return request.problem; }
  std::int64_t pixels() const { return problem().ho() * problem().wo(); }  // of an image
};

Launch lower(const Lowering& l, std::int64_t first, std::int64_t images) {
  const ConvProblem& p = l.problem();
  const LoweringTile tile = lowering_tile(l.request, images);
  const bool staging = l.request.options.is("staging", "on");
  Kernel made = kernel(l.request, "im2col/lower.cu", "lower",
                       {{"threads", kThreads},
                        {"tile_c", static_cast<int>(tile.c)},
                        {"tile_q", static_cast<int>(tile.q)},
                        {"tile_n", static_cast<int>(tile.n)},
                        {"staging", staging}});
  made.sizes.push_back({"row_n", l.images_fastest ? 1 : l.pixels()});
  made.sizes.push_back({"row_pixel", l.images_fastest ? l.pass : 1});
  Launch launch;
  launch.sentence = "stores every window as a row of the im2col matrix";
  launch.kernel = std::move(made);
  launch.grid = {ceil_div(images, tile.n) * p.ho() * ceil_div(p.wo(), tile.q) * ceil_div(p.ci(), tile.c)};
  launch.block = {kThreads};
  launch.shared_bytes = staging ? tile.patch_bytes : 0;
  launch.arguments = {x(), buffer("im2col"), number(first), number(images)};
  launch.writes = "im2col";
  return launch;
}

Products products(const Lowering& l, std::int64_t first, std::int64_t images) {
  const ConvProblem& p = l.problem();
  const std::int64_t rows = images * l.pixels(), cog = p.co_per_group();
  const Strides y_step = dense_strides(l.request.layouts.y, p.y_shape());
  const Matrices windows{
      .first = buffer("im2col"), .ld = p.ci() * p.taps(), .k_contiguous = true, .inner_step = p.reduction()};
  const Matrices filter{.first = buffer("filter"), .ld = p.co(), .inner_step = cog};
  Products made;
  made.sentence = "multiplies the im2col matrix and the filter";
  made.k = p.reduction();
  made.inner = p.groups();
  made.c = {.first = y().at(first * y_step[0] * kFloat), .inner_step = cog * y_step[1]};
  if (l.request.layouts.y == Layout::NHWC) {
    made.m = rows, made.n = cog, made.a = windows, made.b = filter;
    made.c.ld = p.co();
    if (p.bias()) made.bias = Products::Bias::of_columns;
    return made;
  }
  made.m = cog, made.n = rows, made.a = filter, made.b = windows;
  made.c.ld = y_step[1];
  if (p.bias()) made.bias = Products::Bias::of_rows;
  // Neighbouring rows of A are neighbours in y as far as they belong to one image, or to one pixel of several images.
  if (l.images_fastest)
    made.segment = images, made.segment_step = p.n();
  else
    made.segment = l.pixels(), made.segment_step = y_step[0];
  return made;
}

Launch filter_matrix(const Request& request) {
  const ConvProblem& p = request.problem;
  Launch launch;
  launch.sentence = "lays the filter out as a matrix";
  launch.kernel = kernel(request, "im2col/filter_matrix.cu", "filter_matrix", {{"threads", kThreads}});
  launch.grid = {ceil_div(p.co() * p.reduction(), kThreads)};
  launch.block = {kThreads};
  launch.arguments = {w(), buffer("filter")};
  launch.writes = "filter";
  return launch;
}

Launch fill_bias(const Request& request) {
  Launch launch;
  launch.sentence = "fills the output with the bias, to which cuBLAS adds";
  launch.kernel = kernel(request, "common/fill_bias.cu", "fill_bias", {{"threads", kThreads}});
  launch.grid = {ceil_div(elements(request.problem.y_shape()), kThreads)};
  launch.block = {kThreads};
  launch.arguments = {bias(), y()};
  return launch;
}

}  // namespace

std::int64_t images_of_pass(const Request& request) {
  const std::int64_t n = std::max<std::int64_t>(request.problem.n(), 1);
  const std::string& batching = request.options["batching"];
  return batching == "full"    ? n
         : batching == "image" ? 1
                               : std::min<std::int64_t>(n, request.options.integer("chunk_images"));
}

std::int64_t patch_bytes(const Request& request) { return lowering_tile(request, images_of_pass(request)).patch_bytes; }

std::vector<Stage> lowering_stages(const Request& request) {
  const Lowering l(request);
  Stage matrix = im2col_stage(l.problem(), DType::f32);
  matrix.axes[0].resident = std::min(l.pass, matrix.axes[0].extent);
  if (l.images_fastest)
    matrix.lay_out({1, 2, 0, 3, 4, 5});
  else
    matrix.lay_out();
  Stage filter = filter_stage(l.problem(), DType::f32, {1, 2, 3});
  filter.lay_out({1, 2, 3, 0});  // (c, u, v, o)
  return {matrix, filter};
}

std::vector<Step> lowering_steps(const Request& request, const Buffer& workspace) {
  const Lowering l(request);
  const ConvProblem& p = l.problem();
  const bool cublas = request.options.is("gemm", "cublas");
  std::vector<Step> steps{filter_matrix(request)};
  if (cublas && p.bias()) steps.emplace_back(fill_bias(request));
  for (std::int64_t first = 0; first < p.n(); first += l.pass) {
    const std::int64_t images = std::min(l.pass, p.n() - first);
    steps.emplace_back(lower(l, first, images));
    const Products product = products(l, first, images);
    if (cublas)
      for (Step& step : cublas_gemm(product, workspace)) steps.push_back(std::move(step));
    else
      steps.emplace_back(own_gemm(product, tiling(request.options, product), sizes_at_run_time(request)));
  }
  return steps;
}

}  // namespace convlens::gpu
