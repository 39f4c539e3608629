// im2col.cc: every window is stored as a row of a matrix, which is multiplied by the filter matrix.
//
//   lower          A((n, p, q), (c, u, v)) = x(window of pixel (n, p, q))      for all images or some at a time
//   pack_filter    W((c, u, v), o) = w(o, c, u, v)
//   gemm           Y = A·W, or Yᵀ = Wᵀ·Aᵀ where pixels are the faster index of y
//
// Source: Chellapilla, Puri & Simard 2006.
#include "algorithms/im2col/im2col.h"

#include <algorithm>
#include <array>

#include "algorithms/interface/tensor_maps.h"
#include "kernels/common/products.h"
#include "kernels/im2col/im2col.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr int kThreads = 256;
constexpr std::int64_t kPixels = 32;            // of a block of the lowering, at most
constexpr std::int64_t kCells = 8192;           // of A: blocks with few columns take more pixels
constexpr std::int64_t kColumns = 512;          // of A, of a block of the lowering, about
constexpr std::int64_t kPatchBytes = 48 << 10;  // of shared memory

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
  while (bytes() > kPatchBytes && tile.q * tile.n > 1) tile.q = (tile.q + 1) / 2, tile.n = (tile.n + 1) / 2;
  tile.c = std::clamp<std::int64_t>(std::min(kColumns / p.taps(), kPatchBytes / bytes()), 1, p.ci());
  if (tile.c > 8) tile.c = tile.c / 8 * 8;  // columns of a block then begin at multiples of 32 bytes
  tile.patch_bytes = bytes();
  return tile;
}

std::int64_t images_of_pass(const Request& request) {
  const std::int64_t n = std::max<std::int64_t>(request.problem.n(), 1);
  const std::string& batching = request.options["batching"];
  return batching == "full"    ? n
         : batching == "image" ? 1
                               : std::min<std::int64_t>(n, request.options.integer("chunk_images"));
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

Stage matrix_stage(const Lowering& l) {
  Stage stage = im2col_stage(l.problem(), DType::f32);
  stage.axes[0].resident = std::min(l.pass, stage.axes[0].extent);
  if (l.images_fastest)
    stage.lay_out({1, 2, 0, 3, 4, 5});
  else
    stage.lay_out();
  return stage;
}

Stage packed_filter_stage(const ConvProblem& problem) {
  Stage stage = filter_stage(problem, DType::f32, {1, 2, 3});
  stage.lay_out({1, 2, 3, 0});  // (c, u, v, o)
  return stage;
}

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

Launch pack_filter(const Request& request) {
  const ConvProblem& p = request.problem;
  Launch launch;
  launch.sentence = "lays the filter out as a matrix";
  launch.kernel = kernel(request, "im2col/pack_filter.cu", "pack_filter", {{"threads", kThreads}});
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

Decisions decide(const Request& request) {
  const Lowering l(request);
  const ConvProblem& p = l.problem();
  const bool cublas = request.options.is("gemm", "cublas");
  const Buffer workspace = cublas_workspace();

  std::vector<Step> steps{pack_filter(request)};
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

  Decisions d = decisions({request, std::move(steps)});
  d.stages = {matrix_stage(l), packed_filter_stage(p)};
  if (cublas) d.scratch = {workspace};
  d.executed_flops = p.flops();
  d.error_model = plain_sum_model(p, DType::f32);
  d.notes = {cublas ? "gemm: cuBLAS" : "gemm: own"};
  return d;
}

std::optional<Refusal> needs_small_patch(const Request& request) {
  if (request.options.is("staging", "off")) return std::nullopt;
  const std::int64_t bytes = lowering_tile(request, images_of_pass(request)).patch_bytes;
  if (bytes <= kPatchBytes) return std::nullopt;
  Request nearest = request;
  nearest.options.set("staging", "off");
  return Refusal{"im2col.cc: one window of one channel takes " + std::to_string(bytes) +
                     " bytes of shared memory, must be ≤ " + std::to_string(kPatchBytes) + " with staging=on",
                 nearest};
}

// In CHWN the images of a pass are columns of y that lie together.
std::optional<Refusal> needs_even_passes(const Request& request) {
  const std::int64_t pass = images_of_pass(request);
  if (request.layouts.y != Layout::CHWN || request.problem.n() % pass == 0) return std::nullopt;
  Request nearest = request;
  nearest.options.set("batching", "full");
  return Refusal{"chunk_images: " + std::to_string(pass) + ", must divide N = " + std::to_string(request.problem.n()) +
                     " where the output is CHWN",
                 nearest};
}

std::vector<Option> options() {
  std::vector<Option> all{
      {"batching", "Batching", "How many images are lowered at a time.", {"image", "chunk", "full"}, "full"},
      {"chunk_images",
       "Images a chunk",
       "How many images batching=chunk lowers at a time.",
       {},
       "8",
       false,
       integer_between(1, 1 << 20)},
      {"gemm", "GEMM", "Who multiplies the matrices.", {"cublas", "own"}, "cublas"},
      {"staging",
       "Staging in shared memory",
       "Bring what a block lowers to shared memory first, so that each element of x is read once.",
       {"on", "off"},
       "on",
       true},
  };
  for (Option& option : tiling_options()) all.push_back(std::move(option));
  all.push_back(sizes_option());
  return all;
}

}  // namespace

const Algorithm& im2col_cc() {
  static const Algorithm row{
      .id = "im2col.cc",
      .family = "im2col",
      .unit = Unit::cc,
      .title = "im2col + GEMM on CUDA cores, explicit",
      .sentence = "Copies every window into a row of a matrix, then multiplies two matrices.",
      .source = "Chellapilla, Puri & Simard 2006",
      .options = options(),
      .rules = {f32_only(),
                int_offsets(),
                {"a window of one channel within 48 KiB, or staging=off", needs_small_patch},
                {"chunks that divide N where y is CHWN", needs_even_passes}},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
