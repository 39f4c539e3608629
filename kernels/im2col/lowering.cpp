#include "kernels/im2col/lowering.h"

#include <algorithm>

#include "kernels/common/pieces.h"
#include "kernels/common/products.h"
#include "kernels/im2col/lowering_map.h"
#include "kernels/im2col/lowering_tile.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;
// Everything that the steps of a call are written from.
struct Lowering {
  Request request;
  std::int64_t pass;     // images that are lowered at a time
  std::int64_t row;      // columns of A for a group
  bool images_fastest;   // among the rows of A, as in y
  bool tensor_cores;     // the filter's matrix then has k contiguous
  bool filter_in_place;  // w is that matrix
  bool sums_apart;       // cuBLAS would round a short y before it adds the bias: it leaves its sums in FP32

  explicit Lowering(const Request& r)
      : request(r),
        pass(images_of_pass(r)),
        row(row_columns(r)),
        images_fastest(r.layouts.y == Layout::CHWN),
        tensor_cores(size_of(r.dtype) == 2),
        filter_in_place(tensor_cores && row == r.problem.reduction() &&
                        (r.layouts.w == FilterLayout::OHWI) == channels_together(r)),
        sums_apart(tensor_cores && r.problem.bias() && r.options.is("gemm", "cublas")) {}

  const ConvProblem& problem() const { return request.problem; }
  std::int64_t pixels() const { return problem().ho() * problem().wo(); }  // of an image
};

Launch lower(const Lowering& l, std::int64_t first, std::int64_t images) {
  const ConvProblem& p = l.problem();
  const LoweringTile tile(l.request, images);
  Kernel made = kernel(l.request, "im2col/lower.cu", "lower",
                       {{"threads", static_cast<int>(tile.threads)},
                        {"lanes", static_cast<int>(tile.lanes)},
                        {"row_pitch", static_cast<int>(tile.row_pitch)},
                        {"slice_pitch", static_cast<int>(tile.slice_pitch)},
                        {"slices", static_cast<int>(tile.slices)},
                        {"tile_p", static_cast<int>(tile.p)},
                        {"tile_q", static_cast<int>(tile.q)},
                        {"tile_n", static_cast<int>(tile.n)},
                        {"staging", tile.staging},
                        {"whole_vectors", tile.whole_vectors},
                        {"lines", tile.lines}});
  made.architectures.least = 75;
  made.sizes.push_back({"row", l.row});
  made.sizes.push_back({"row_n", l.images_fastest ? 1 : l.pixels()});
  made.sizes.push_back({"row_pixel", l.images_fastest ? l.pass : 1});
  Launch launch;
  launch.sentence = "stores every window as a row of the im2col matrix";
  launch.kernel = std::move(made);
  launch.grid = {ceil_div(images, tile.n) * ceil_div(p.ho(), tile.p) * ceil_div(p.wo(), tile.q) * p.groups() *
                 ceil_div(tile.all_slices, tile.slices)};
  launch.block = {tile.threads};
  launch.shared_bytes = tile.patch_bytes;
  launch.arguments = {x(), buffer("im2col"), number(first), number(images)};
  launch.writes = "im2col";
  launch.tiles = [l, tile, first, images](const Dim3& block) {
    return tile.boxes(l.problem(), first, images, block.x);
  };
  return launch;
}

Products products(const Lowering& l, std::int64_t first, std::int64_t images) {
  const ConvProblem& p = l.problem();
  const std::int64_t rows = images * l.pixels(), cog = p.co_per_group();
  const Strides y_step = dense_strides(l.request.layouts.y, p.y_shape());
  const Matrices windows{
      .first = buffer("im2col"), .ld = p.groups() * l.row, .k_contiguous = true, .inner_step = l.row};
  const Matrices filter{.first = l.filter_in_place ? w() : buffer("filter"),
                        .ld = l.tensor_cores ? l.row : p.co(),
                        .k_contiguous = l.tensor_cores,
                        .inner_step = l.tensor_cores ? cog * l.row : cog};
  Products made;
  made.sentence = "multiplies the im2col matrix and the filter";
  made.k = l.row;
  made.inner = p.groups();
  made.in = l.request.dtype;
  made.out = l.sums_apart ? DType::f32 : l.request.dtype;
  const Argument c = l.sums_apart ? buffer("sums") : y();
  made.c = {.first = c.at(first * y_step[0] * size_of(made.out)), .inner_step = cog * y_step[1]};
  if (l.request.layouts.y == Layout::NHWC) {
    made.m = rows, made.n = cog, made.a = windows, made.b = filter;
    made.c.ld = p.co();
    if (p.bias() && !l.sums_apart) made.bias = Products::Bias::of_columns;
    return made;
  }
  made.m = cog, made.n = rows, made.a = filter, made.b = windows;
  made.c.ld = y_step[1];
  if (p.bias() && !l.sums_apart) made.bias = Products::Bias::of_rows;
  // Neighbouring rows of A are neighbours in y as far as they belong to one image, or to one pixel of several images.
  if (l.images_fastest)
    made.segment = images, made.segment_step = p.n();
  else
    made.segment = l.pixels(), made.segment_step = y_step[0];
  return made;
}

// The part of y that a block of the own GEMM computes.
std::vector<Box> product_boxes(const Lowering& l, const Products& product, const Tiling& tiling, std::int64_t first,
                               std::int64_t images, const Dim3& block) {
  const ConvProblem& p = l.problem();
  const ProductTile tile = product_tile(product, tiling, block);
  const bool pixels_are_rows = l.request.layouts.y == Layout::NHWC;
  const std::int64_t o = tile.inner * p.co_per_group() + (pixels_are_rows ? tile.j : tile.i);
  const std::int64_t channels = pixels_are_rows ? tile.columns : tile.rows;
  const std::int64_t pixel = pixels_are_rows ? tile.i : tile.j, count = pixels_are_rows ? tile.rows : tile.columns;
  std::vector<Box> boxes;
  if (l.images_fastest)
    for (const Run& run : runs_of_range(pixel, count, p.wo(), images))  // rows are (p, q, n)
      boxes.push_back({{first + run.column, o, run.image, run.row}, {run.count, channels, 1, 1, 1, 1}});
  else
    for (const Run& run : runs_of_range(pixel, count, p.ho(), p.wo()))
      boxes.push_back({{first + run.image, o, run.row, run.column}, {1, channels, 1, run.count, 1, 1}});
  return boxes;
}

Launch filter_matrix(const Lowering& l) {
  Launch launch;
  launch.sentence = "lays the filter out as a matrix";
  launch.kernel = kernel(l.request, "im2col/filter_matrix.cu", "filter_matrix",
                         {{"threads", kThreads}, {"k_contiguous", l.tensor_cores}});
  launch.kernel.architectures.least = 75;
  launch.kernel.sizes.push_back({"row", l.row});
  launch.grid = {ceil_div(l.problem().co() * l.row, kThreads)};
  launch.block = {kThreads};
  launch.arguments = {w(), buffer("filter")};
  launch.writes = "filter";
  return launch;
}

// A kernel with a thread an element of y.
Launch y_launch(const Request& request, const std::string& entry, std::string sentence,
                std::vector<Argument> arguments) {
  Launch launch;
  launch.sentence = std::move(sentence);
  launch.kernel = kernel(request, "common/" + entry + ".cu", entry, {{"threads", kThreads}});
  launch.kernel.architectures.least = 75;
  launch.grid = {ceil_div(elements(request.problem.y_shape()), kThreads)};
  launch.block = {kThreads};
  launch.arguments = std::move(arguments);
  return launch;
}

}  // namespace

std::vector<Stage> lowering_stages(const Request& request) {
  const Lowering l(request);
  const ConvProblem& p = l.problem();
  const bool last = channels_together(request);
  const std::string columns = last ? "(u, v, c)" : "(c, u, v)";
  const std::string symbol = "⌈C_i" + std::string(p.groups() == 1 ? "" : "/groups") + "·H_f·W_f⌉";

  Stage matrix;
  matrix.id = "im2col";
  matrix.title = "im2col matrix";
  matrix.meaning = "row (n, p, q), column k = " + columns + " of group g: what that tap reads for output pixel (p, q)";
  matrix.made_from = {kInput};
  matrix.axes = {{"n", "N", p.n(), std::min(l.pass, p.n())},
                 {"p", "H_o", p.ho(), p.ho()},
                 {"q", "W_o", p.wo(), p.wo()},
                 {"g", "groups", p.groups(), p.groups()},
                 {"k", symbol, l.row, l.row}};
  matrix.map = erase(LoweredMap(p, last));

  Stage filter;
  filter.id = "filter";
  filter.title = "filter matrix";
  filter.meaning = "column k = " + columns + " of output channel o, in the order of the im2col matrix";
  filter.made_from = {kFilter};
  filter.axes = {{"o", "C_o", p.co(), p.co()}, {"k", symbol, l.row, l.row}};
  filter.map = erase(FilterColumnsMap(p, last));
  filter.stored = !l.filter_in_place;

  matrix.dtype = filter.dtype = request.dtype;
  if (l.images_fastest)
    matrix.lay_out({1, 2, 0, 3, 4});
  else
    matrix.lay_out();
  if (l.tensor_cores)
    filter.lay_out();
  else
    filter.lay_out({1, 0});
  return {matrix, filter};
}

std::vector<Step> lowering_steps(const Request& request, const Buffer& workspace) {
  const Lowering l(request);
  const ConvProblem& p = l.problem();
  const bool cublas = request.options.is("gemm", "cublas");
  require_few_pieces(p.n(), l.pass);
  std::vector<Step> steps;
  if (!l.filter_in_place) steps.emplace_back(filter_matrix(l));
  if (cublas && p.bias() && !l.sums_apart)
    steps.emplace_back(
        y_launch(request, "fill_bias", "fills the output with the bias, to which cuBLAS adds", {bias(), y()}));
  for (std::int64_t first = 0; first < p.n(); first += l.pass) {
    const std::int64_t images = std::min(l.pass, p.n() - first);
    steps.emplace_back(lower(l, first, images));
    const Products product = products(l, first, images);
    if (cublas) {
      for (Step& step : cublas_gemm(product, workspace)) steps.push_back(std::move(step));
      continue;
    }
    const Tiling shape = tiling(request.options, product);
    Launch launch = own_gemm(product, shape, sizes_at_run_time(request));
    launch.tiles = [l, product, shape, first, images](const Dim3& block) {
      return product_boxes(l, product, shape, first, images, block);
    };
    steps.emplace_back(std::move(launch));
  }
  if (l.sums_apart)
    steps.emplace_back(
        y_launch(request, "add_bias", "adds the bias to the sums and rounds them", {buffer("sums"), bias(), y()}));
  return steps;
}

std::vector<Buffer> lowering_scratch(const Request& request, const Buffer& workspace) {
  std::vector<Buffer> scratch;
  if (request.options.is("gemm", "cublas")) scratch.push_back(workspace);
  if (Lowering(request).sums_apart)
    scratch.push_back({.name = "sums", .bytes = elements(request.problem.y_shape()) * size_of(DType::f32)});
  return scratch;
}

}  // namespace convlens::gpu
