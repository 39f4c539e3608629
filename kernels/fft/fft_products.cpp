#include "kernels/fft/fft_products.h"

#include "algorithms/problem/checked.h"
#include "kernels/common/products.h"
#include "kernels/fft/fft_tiles.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kComplex = 8;  // bytes of a number

// The tile of the product that a block makes: tiles of images by output channels, of which a group may have few. Three
// sums an output leave registers for half as many outputs a thread.
struct ComplexTile {
  int m, n, thread_m, thread_n;
  int threads() const { return m / thread_m * n / thread_n; }
  int blocks_per_multiprocessor() const { return (thread_n == 8 ? 256 : 384) / threads(); }
};
ComplexTile complex_tile(std::int64_t channels, bool three_multiplications) {
  const bool by_32 = ceil_div(channels, 32) * 32 < ceil_div(channels, 64) * 64;
  const int n = channels <= 16 ? 16 : by_32 ? 32 : 64;
  if (three_multiplications) return {64, n, 8, 4};
  return {128, n, 8, n == 16 ? 4 : 8};
}

struct SpectraProducts {
  const Request& request;
  const Spectra& spectra;
  std::int64_t first, tiles, pitch;  // image; tiles in all; tiles of a channel in memory
  const ConvProblem& p = request.problem;
  const std::int64_t channels = p.ci_per_group() * spectra.phases(), outputs = p.co_per_group();  // of a group

  Launch own() const {
    const bool three = request.options.is("multiplications", "3");
    const ComplexTile tile = complex_tile(outputs, three);
    const std::int64_t down = ceil_div(tiles, tile.m), across = ceil_div(outputs, tile.n);
    Launch launch{.sentence = "multiplies spectra and adds up channels",
                  .kernel = kernel(request, "fft/fft_product.cu", "fft_product",
                                   {{"points_h", spectra.rows.points},
                                    {"points_w", spectra.columns.points},
                                    {"step_h", spectra.rows.step},
                                    {"step_w", spectra.columns.step},
                                    {"tile_m", tile.m},
                                    {"tile_n", tile.n},
                                    {"tile_k", 8},
                                    {"slices", 3},
                                    {"thread_m", tile.thread_m},
                                    {"thread_n", tile.thread_n},
                                    {"multiplications", three ? 3 : 4},
                                    {"blocks_per_multiprocessor", tile.blocks_per_multiprocessor()}}),
                  .grid = {checked::product("blocks of the product", {spectra.bins, p.groups(), down, across})},
                  .block = {tile.threads()},
                  .arguments = {buffer("input_spectra"), buffer("filter_spectra"), buffer("product_spectra"),
                                number(tiles), number(pitch)},
                  .writes = "product_spectra"};
    launch.tiles = [s = spectra, first = first, tiles = tiles, outputs = outputs, groups = p.groups(), tile, down,
                    across](const Dim3& block) {
      const std::int64_t matrix = block.x / (down * across), within = block.x % (down * across);
      const std::int64_t at = within / across * tile.m, o = within % across * tile.n;
      return product_boxes(s, first, at, std::min<std::int64_t>(tile.m, tiles - at), matrix % groups * outputs + o,
                           std::min<std::int64_t>(tile.n, outputs - o), matrix / groups);
    };
    return launch;
  }

  // Ŷ(b)ᵀ = conj Ŵ(b)ᵀ · X̂(b): output channels are rows, tiles are columns.
  Gemm library(std::int64_t group) const {
    const Buffer workspace = cublas_workspace();
    return {.sentence = "multiplies spectra and adds up channels, by cuBLAS",
            .m = outputs,
            .n = tiles,
            .k = channels,
            .batch = spectra.bins,
            .a = buffer("filter_spectra").at(group * outputs * kComplex),
            .b = buffer("input_spectra").at(group * channels * pitch * kComplex),
            .c = buffer("product_spectra").at(group * outputs * pitch * kComplex),
            .lda = p.co(),
            .ldb = pitch,
            .ldc = pitch,
            .batch_a = channels * p.co(),
            .batch_b = p.groups() * channels * pitch,
            .batch_c = p.co() * pitch,
            .transpose_a = true,
            .conjugate_a = true,
            .complex = true,
            .workspace = workspace.name,
            .workspace_bytes = workspace.bytes};
  }

  // A bin's complex product as a real one: k = (re, im; channel), rows (re, im; output).
  Products whole() const {
    Products made = real("multiplies real and imaginary parts of spectra and adds up channels");
    made.m = 2 * outputs, made.k = 2 * channels;
    made.a = {.first = buffer("filter_spectra"),
              .ld = 2 * p.co(),
              .outer_step = 4 * channels * p.co(),
              .inner_step = 2 * outputs};
    made.b = planes(0);
    made.b.first = buffer("input_spectra");
    made.c = {.first = buffer("product_spectra"),
              .ld = pitch,
              .outer_step = 2 * p.co() * pitch,
              .inner_step = 2 * outputs * pitch};
    return made;
  }

  // After Gauss: p = (a + b)·c, q = a·(c + d), r = b·(c − d).
  Products third(int which) const {
    constexpr const char* kSentences[] = {"multiplies a + b and c", "multiplies a and c + d", "multiplies b and c - d"};
    Products made = real(kSentences[which]);
    const std::int64_t size = size_of(spectra_type(request));
    made.m = outputs, made.k = channels;
    made.a = {.first = buffer("filter_spectra").at(which * spectra.bins * channels * p.co() * size),
              .ld = p.co(),
              .outer_step = channels * p.co(),
              .inner_step = outputs};
    made.b = which == 0 ? Matrices{.first = buffer("input_sums"),
                                   .ld = pitch,
                                   .outer_step = p.groups() * channels * pitch,
                                   .inner_step = channels * pitch}
                        : planes(which - 1);
    made.c = {.first = buffer("product_spectra").at(which * spectra.bins * p.co() * pitch * size_of(DType::f32)),
              .ld = pitch,
              .outer_step = p.co() * pitch,
              .inner_step = outputs * pitch};
    return made;
  }

  Products real(const char* sentence) const {
    Products made;
    made.sentence = sentence;
    made.n = tiles, made.outer = spectra.bins, made.inner = p.groups();
    made.in = spectra_type(request), made.tf32 = tf32_spectra(request);
    return made;
  }
  // The input's spectra from the real or imaginary part's plane on.
  Matrices planes(std::int64_t plane) const {
    return {.first = buffer("input_spectra").at(plane * channels * pitch * size_of(spectra_type(request))),
            .ld = pitch,
            .outer_step = 2 * p.groups() * channels * pitch,
            .inner_step = 2 * channels * pitch};
  }

  void add(std::vector<Step>& steps, const Products& product) const {
    if (request.options.is("gemm", "cublas")) {
      for (Step& step : cublas_gemm(product, cublas_workspace())) steps.push_back(std::move(step));
      return;
    }
    Launch launch = own_gemm(product, tiling(request.options, product, "gemm_tile"), sizes_at_run_time(request));
    launch.writes = "product_spectra";
    steps.emplace_back(std::move(launch));
  }
};

}  // namespace

std::vector<Step> product_steps(const Request& request, const Spectra& spectra, std::int64_t images, std::int64_t first,
                                std::int64_t count) {
  const SpectraProducts products{request, spectra, first, count * spectra.tiles(), images * spectra.tiles()};
  std::vector<Step> steps;
  if (spectra_in_planes(request)) {
    if (gauss(request))
      for (const int which : {0, 1, 2}) products.add(steps, products.third(which));
    else
      products.add(steps, products.whole());
  } else if (request.options.is("gemm", "own")) {
    steps.emplace_back(products.own());
  } else {
    for (std::int64_t group = 0; group < request.problem.groups(); ++group) steps.emplace_back(products.library(group));
  }
  return steps;
}

}  // namespace convlens::gpu
