#include "kernels/fft/fft_program.h"

#include <algorithm>
#include <string>

#include "algorithms/problem/checked.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kReal = 4, kComplex = 8;  // bytes of a number
constexpr std::int64_t kThreads = 256;           // of the kernels with a thread an element

// The workspace that NVIDIA recommends for cuBLAS on Hopper, and room to align it to 256 bytes.
constexpr std::int64_t kBlasWorkspace = (std::int64_t{32} << 20) + 256;

// The tile of the product that a block makes: tiles of images by output channels, of which a group may have few. Three
// sums an output leave registers for half as many outputs a thread.
struct ProductTile {
  int m, n, thread_m, thread_n;
  int threads() const { return m / thread_m * n / thread_n; }
  int blocks_per_multiprocessor() const { return (thread_n == 8 ? 256 : 384) / threads(); }
};
ProductTile product_tile(std::int64_t channels, bool three_multiplications) {
  const bool by_32 = ceil_div(channels, 32) * 32 < ceil_div(channels, 64) * 64;
  const int n = channels <= 16 ? 16 : by_32 ? 32 : 64;
  if (three_multiplications) return {64, n, 8, 4};
  return {128, n, 8, n == 16 ? 4 : 8};
}

struct Builder {
  const Request& request;
  const Spectra& spectra;
  const std::int64_t images;  // in the workspace at a time
  const ConvProblem& p = request.problem;
  const std::int64_t pitch = images * spectra.tiles();  // from channel to channel of the spectra
  const std::int64_t input_channels = p.ci() * spectra.phases(), filter_channels = p.ci_per_group() * spectra.phases();

  // Which of three kinds of tiles.
  enum class Kind : std::uint8_t { filter, input, output };
  struct Part {
    Kind kind;
    std::int64_t channels, tiles, pitch;
    Argument operand, spectra;
    bool channels_side_by_side;  // in the operand's memory
  };

  Part filter() const {
    return {Kind::filter,
            filter_channels,
            p.co(),
            p.co(),
            w(),
            buffer("filter_spectra"),
            request.layouts.w == FilterLayout::OHWI};
  }
  Part input(std::int64_t first, std::int64_t count) const {
    return {Kind::input,
            input_channels,
            count * spectra.tiles(),
            pitch,
            image(x(), p.x_shape(), request.layouts.x, first),
            buffer("input_spectra"),
            request.layouts.x == Layout::NHWC};
  }
  Part output(std::int64_t first, std::int64_t count) const {
    return {Kind::output,
            p.co(),
            count * spectra.tiles(),
            pitch,
            image(y(), p.y_shape(), request.layouts.y, first),
            buffer("product_spectra"),
            request.layouts.y == Layout::NHWC};
  }
  Argument image(const Argument& tensor, const Shape& shape, Layout layout, std::int64_t n) const {
    return tensor.at(n * dense_strides(layout, shape)[0] * kReal);
  }

  Kernel kernel_of(const char* name, std::vector<Constant> constants) const {
    const std::vector<Constant> tile{{"points_h", spectra.rows.points},
                                     {"points_w", spectra.columns.points},
                                     {"step_h", spectra.rows.step},
                                     {"step_w", spectra.columns.step}};
    constants.insert(constants.begin(), tile.begin(), tile.end());
    return kernel(request, std::string("fft/") + name + ".cu", name, std::move(constants));
  }

  // Own transforms: a thread holds a line of a tile, and a block as many tiles as make up to 256 threads; to 128 where
  // the input's elements are read along rows, since smaller blocks overlap their reading and computing better.
  Launch own_transform(std::string sentence, const Part& part) const {
    const bool forward = part.kind != Kind::output;
    const int lines = std::max(spectra.rows.points, spectra.columns.points) / 2;
    const int channels = part.channels_side_by_side ? 4 : 1, most = forward && channels == 1 ? 128 : 256;
    int tiles = most / 4;
    while (tiles > most / 16 && tiles * lines > most) tiles /= 2;
    std::vector<Constant> constants{{"tiles_per_block", tiles / channels}, {"channels_per_block", channels}};
    if (forward) constants.emplace_back("of_filter", part.kind == Kind::filter);
    return {.sentence = std::move(sentence),
            .kernel = kernel_of(forward ? "fft_forward" : "fft_inverse", std::move(constants)),
            .grid = {ceil_div(part.channels, channels) * ceil_div(part.tiles, tiles / channels)},
            .block = {std::int64_t{tiles} * lines},
            .arguments = forward
                             ? std::vector{part.operand, part.spectra, number(part.tiles), number(part.pitch)}
                             : std::vector{part.spectra, bias(), part.operand, number(part.tiles), number(part.pitch)}};
  }

  // cuFFT's transforms: dense tiles, their half spectra tile by tile, and those turned to bin by bin; or backwards. It
  // may work in what is idle then: the products before there are any, the input's spectra after they have been
  // multiplied.
  Launch gather(const Part& part) const {
    return {.sentence = part.kind == Kind::filter ? "lays out the filter in tiles" : "cuts the input into tiles",
            .kernel = kernel_of("fft_gather", {{"of_filter", part.kind == Kind::filter}}),
            .grid = {ceil_div(part.channels * part.tiles * spectra.points(), kThreads)},
            .block = {kThreads},
            .arguments = {part.operand, buffer("tiles"), number(part.tiles)}};
  }
  Fft library_transform(const Part& part, Fft::Direction direction) const {
    const bool forward = direction == Fft::Direction::real_to_complex;
    return {.sentence = forward ? "transforms them, by cuFFT" : "transforms products back, by cuFFT",
            .direction = direction,
            .rows = spectra.rows.points,
            .columns = spectra.columns.points,
            .batch = part.channels * part.tiles,
            .in = buffer(forward ? "tiles" : "half_spectra"),
            .out = buffer(forward ? "half_spectra" : "tiles"),
            .workspace = forward ? "product_spectra" : "input_spectra",
            .workspace_bytes = spectra.bins * (forward ? p.co() : input_channels) * pitch * kComplex};
  }
  Launch turn(const Part& part, bool to_bins) const {
    const Argument by_tile = buffer("half_spectra");
    return {.sentence = to_bins ? "turns spectra to bins" : "turns products to tiles",
            .kernel = kernel_of("fft_turn", {{"to_bins", to_bins}}),
            .grid = {ceil_div(spectra.bins, 32) * ceil_div(part.channels * part.tiles, 32)},
            .block = {32, 8},
            .arguments = {to_bins ? by_tile : part.spectra, to_bins ? part.spectra : by_tile, number(part.channels),
                          number(part.tiles), number(part.pitch), number(spectra.bins)}};
  }
  Launch crop(const Part& part, std::int64_t count) const {
    return {.sentence = "keeps what has not wrapped",
            .kernel = kernel_of("fft_crop", {}),
            .grid = {ceil_div(count * p.co() * p.ho() * p.wo(), kThreads)},
            .block = {kThreads},
            .arguments = {buffer("tiles"), bias(), part.operand, number(count)}};
  }

  // The most lines of each kind that are in `tiles` and `half_spectra` at a time.
  std::int64_t most_lines() const {
    return std::max({checked::product("filter tiles", {filter_channels, p.co()}),
                     checked::product("input tiles", {input_channels, pitch}),
                     checked::product("output tiles", {p.co(), pitch})});
  }

  Launch own_product(std::int64_t tiles) const {
    const bool three = request.options.is("multiplications", "3");
    const ProductTile tile = product_tile(p.co_per_group(), three);
    return {.sentence = "multiplies spectra and adds up channels",
            .kernel = kernel_of("fft_product", {{"tile_m", tile.m},
                                                {"tile_n", tile.n},
                                                {"tile_k", 8},
                                                {"slices", 3},
                                                {"thread_m", tile.thread_m},
                                                {"thread_n", tile.thread_n},
                                                {"multiplications", three ? 3 : 4},
                                                {"blocks_per_multiprocessor", tile.blocks_per_multiprocessor()}}),
            .grid = {checked::product("blocks of the product", {spectra.bins, p.groups(), ceil_div(tiles, tile.m),
                                                                ceil_div(p.co_per_group(), tile.n)})},
            .block = {tile.threads()},
            .arguments = {buffer("input_spectra"), buffer("filter_spectra"), buffer("product_spectra"), number(tiles),
                          number(pitch)}};
  }

  // Ŷ(b)ᵀ = conj Ŵ(b)ᵀ · X̂(b): output channels are rows, tiles are columns.
  Gemm library_product(std::int64_t tiles, std::int64_t group) const {
    const std::int64_t outputs = p.co_per_group();
    return {.sentence = "multiplies spectra and adds up channels, by cuBLAS",
            .m = outputs,
            .n = tiles,
            .k = filter_channels,
            .batch = spectra.bins,
            .a = buffer("filter_spectra").at(group * outputs * kComplex),
            .b = buffer("input_spectra").at(group * filter_channels * pitch * kComplex),
            .c = buffer("product_spectra").at(group * outputs * pitch * kComplex),
            .lda = p.co(),
            .ldb = pitch,
            .ldc = pitch,
            .batch_a = filter_channels * p.co(),
            .batch_b = input_channels * pitch,
            .batch_c = p.co() * pitch,
            .transpose_a = true,
            .conjugate_a = true,
            .complex = true,
            .workspace = "cublas",
            .workspace_bytes = kBlasWorkspace};
  }

  void add_forward(std::vector<Step>& steps, const Part& part) const {
    if (request.options.is("transform", "own")) {
      const bool filter = part.kind == Kind::filter;
      steps.emplace_back(own_transform(filter ? "transforms the filter" : "transforms tiles of the input", part));
    } else {
      steps.emplace_back(gather(part));
      steps.emplace_back(library_transform(part, Fft::Direction::real_to_complex));
      steps.emplace_back(turn(part, true));
    }
  }
  void add_product(std::vector<Step>& steps, std::int64_t tiles) const {
    if (request.options.is("gemm", "own"))
      steps.emplace_back(own_product(tiles));
    else
      for (std::int64_t group = 0; group < p.groups(); ++group) steps.emplace_back(library_product(tiles, group));
  }
  void add_inverse(std::vector<Step>& steps, const Part& part, std::int64_t count) const {
    if (request.options.is("transform", "own")) {
      steps.emplace_back(own_transform("transforms products back, keeps what has not wrapped", part));
    } else {
      steps.emplace_back(turn(part, false));
      steps.emplace_back(library_transform(part, Fft::Direction::complex_to_real));
      steps.emplace_back(crop(part, count));
    }
  }
};

}  // namespace

std::vector<Step> fft_steps(const Request& request, const Spectra& spectra, std::int64_t images) {
  const Builder build{request, spectra, images};
  std::vector<Step> steps;
  build.add_forward(steps, build.filter());
  for (std::int64_t first = 0; first < build.p.n(); first += images) {
    const std::int64_t count = std::min(images, build.p.n() - first);
    build.add_forward(steps, build.input(first, count));
    build.add_product(steps, count * spectra.tiles());
    build.add_inverse(steps, build.output(first, count), count);
  }
  return steps;
}

std::vector<Buffer> fft_scratch(const Request& request, const Spectra& spectra, std::int64_t images) {
  const Builder build{request, spectra, images};
  std::vector<Buffer> scratch;
  if (!request.options.is("transform", "own")) {
    scratch = {
        {"tiles", checked::product("bytes of the tiles", {build.most_lines(), spectra.points(), kReal})},
        {"half_spectra", checked::product("bytes of half_spectra", {build.most_lines(), spectra.bins, kComplex})}};
  }
  if (request.options.is("gemm", "cublas")) scratch.push_back({"cublas", kBlasWorkspace});
  return scratch;
}

}  // namespace convlens::gpu
