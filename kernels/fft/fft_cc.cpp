// fft.cc: convolution as a product of spectra, on CUDA cores.
#include <algorithm>
#include <string>

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"
#include "kernels/fft/fft.h"
#include "kernels/fft/fft_lengths.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kComplex = 8;  // bytes of a complex number

// Tiles that a block transforms: as many as make up to 256 threads, half a tile's length each.
int tiles_of_block(const Spectra& s) {
  const int lines = std::max(s.rows.points, s.columns.points) / 2;
  int tiles = 64;
  while (tiles > 16 && tiles * lines > 256) tiles /= 2;
  return tiles;
}

struct Builder {
  const Request& request;
  const Spectra spectra;
  const std::int64_t pitch;  // tiles of the images that are in the workspace at a time
  const ConvProblem& p = request.problem;

  std::vector<Constant> constants(int channels_per_block, bool of_filter) const {
    return {{"points_h", spectra.rows.points},
            {"points_w", spectra.columns.points},
            {"step_h", spectra.rows.step},
            {"step_w", spectra.columns.step},
            {"tiles_per_block", tiles_of_block(spectra) / channels_per_block},
            {"channels_per_block", channels_per_block},
            {"of_filter", of_filter}};
  }

  Launch transform(std::string sentence, const char* name, bool of_filter, int channels_per_block, std::int64_t channels,
                   std::int64_t tiles, std::int64_t pitch, std::vector<Argument> arguments) const {
    const int block_tiles = tiles_of_block(spectra);
    const int lines = std::max(spectra.rows.points, spectra.columns.points) / 2;
    arguments.insert(arguments.end(), {number(tiles), number(pitch)});
    return {.sentence = std::move(sentence),
            .kernel = kernel(request, std::string("fft/") + name + ".cu", name, constants(channels_per_block, of_filter)),
            .grid = {ceil_div(channels, channels_per_block) * ceil_div(tiles, block_tiles / channels_per_block)},
            .block = {std::int64_t{block_tiles} * lines},
            .arguments = std::move(arguments)};
  }

  Launch filter_transform() const {
    const int together = request.layouts.w == FilterLayout::OHWI ? 4 : 1;
    return transform("transforms the filter", "fft_forward", true, together, p.ci_per_group() * spectra.phases(), p.co(),
                     p.co(), {w(), buffer("filter_spectra")});
  }
  Launch input_transform(std::int64_t first, std::int64_t images) const {
    const int together = request.layouts.x == Layout::NHWC ? 4 : 1;
    return transform("transforms tiles of the input", "fft_forward", false, together, p.ci() * spectra.phases(),
                     images * spectra.tiles(), pitch, {image(x(), p.x_shape(), request.layouts.x, first), buffer("input_spectra")});
  }
  Launch output_transform(std::int64_t first, std::int64_t images) const {
    const int together = request.layouts.y == Layout::NHWC ? 4 : 1;
    return transform("transforms products back", "fft_inverse", false, together, p.co(), images * spectra.tiles(),
                     pitch, {buffer("product_spectra"), bias(), image(y(), p.y_shape(), request.layouts.y, first)});
  }

  Argument image(const Argument& tensor, const Shape& shape, Layout layout, std::int64_t n) const {
    return tensor.at(n * dense_strides(layout, shape)[0] * size_of(request.dtype));
  }

  // Ŷ(b)ᵀ = conj Ŵ(b)ᵀ · X̂(b): outputs are rows, tiles columns.
  Gemm library_product(std::int64_t tiles, std::int64_t group) const {
    const std::int64_t channels = p.ci_per_group() * spectra.phases(), outputs = p.co_per_group();
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
            .complex = true};
  }

  Step product(std::int64_t images) const {
    const std::int64_t tiles = images * spectra.tiles();
    const int tile_m = 128, tile_n = p.co_per_group() > 32 ? 64 : p.co_per_group() > 16 ? 32 : 16;
    std::vector<Constant> all = constants(1, false);
    for (const Constant& c : {Constant("tile_m", tile_m), Constant("tile_n", tile_n), Constant("tile_k", 8),
                              Constant("slices", 3), Constant("thread_m", 8), Constant("thread_n", 4),
                              Constant("multiplications", static_cast<int>(request.options.integer("multiplications"))),
                              Constant("blocks_per_multiprocessor", 2)})
      all.push_back(c);
    return Launch{.sentence = "multiplies spectra and adds up channels",
                  .kernel = kernel(request, "fft/fft_product.cu", "fft_product", std::move(all)),
                  .grid = {spectra.bins * p.groups() * ceil_div(tiles, tile_m) * ceil_div(p.co_per_group(), tile_n)},
                  .block = {std::int64_t{tile_m} / 8 * tile_n / 4},
                  .arguments = {buffer("input_spectra"), buffer("filter_spectra"), buffer("product_spectra"),
                                number(tiles), number(pitch)}};
  }
};

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const std::int64_t chunk = std::min(p.n(), request.options.integer("chunk") > 0 ? request.options.integer("chunk") : p.n());
  const Spectra spectra = spectra_of(request);
  const Builder build{request, spectra, chunk * spectra.tiles()};
  Program program{request, {build.filter_transform()}};
  for (std::int64_t first = 0; first < p.n(); first += chunk) {
    const std::int64_t images = std::min(chunk, p.n() - first);
    program.steps.emplace_back(build.input_transform(first, images));
    if (request.options.is("gemm", "own"))
      program.steps.emplace_back(build.product(images));
    else
      for (std::int64_t group = 0; group < p.groups(); ++group)
        program.steps.emplace_back(build.library_product(images * build.spectra.tiles(), group));
    program.steps.emplace_back(build.output_transform(first, images));
  }
  Decisions d = decisions(std::move(program));
  const std::int64_t images = std::min(chunk, p.n()), bins = build.spectra.bins, phases = build.spectra.phases();
  d.scratch = {{"filter_spectra", bins * p.ci_per_group() * phases * p.co() * kComplex},
               {"input_spectra", bins * p.ci() * phases * images * build.spectra.tiles() * kComplex},
               {"product_spectra", bins * p.co() * images * build.spectra.tiles() * kComplex}};
  d.notes = {"transform: " + std::to_string(build.spectra.rows.points) + "x" + std::to_string(build.spectra.columns.points)};
  return d;
}

std::vector<std::string> tile_values() {
  std::vector<std::string> values{"best"};
  for (const int length : kLengths) values.push_back(std::to_string(length));
  return values;
}

}  // namespace

const Algorithm& fft_cc() {
  static const Algorithm row{
      .id = "fft.cc",
      .family = "fft",
      .unit = Unit::cc,
      .title = "FFT tiles on CUDA cores",
      .sentence = "Transforms overlapping tiles and the filter, multiplies spectra bin by bin, and transforms back.",
      .source = "Vasilache et al. 2015, arXiv 1412.7580",
      .options = {{"tile", "Tile length", "The points along each axis of a tile's transform.", tile_values(), "best"},
                  {"stride", "Strides", "Take a stride by phases, or keep every s-th output of stride 1.", {"phases", "dense"}, "phases"},
                  {"gemm", "Matrix product", "Which matrix product adds up the channels: the kernel to read, or cuBLAS.", {"own", "cublas"}, "own"},
                  {"multiplications", "Multiplications", "Real multiplications of a complex one: 4, or Gauss's 3.", {"4", "3"}, "4"},
                  {"chunk", "Images at a time", "How many images are in the workspace at a time; 0 is automatic.", {}, "0", false, integer_between(0, 1 << 20)},
                  sizes_option()},
      .rules = {f32_only(), int_offsets()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
