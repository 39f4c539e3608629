#include "kernels/fft/fft_program.h"

#include <algorithm>
#include <bit>
#include <string>

#include "algorithms/problem/checked.h"
#include "kernels/common/pieces.h"
#include "kernels/common/products.h"
#include "kernels/fft/fft_products.h"
#include "kernels/fft/fft_tiles.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kReal = 4, kComplex = 8, kExponent = 4;  // bytes of a number
constexpr std::int64_t kThreads = 256;                          // of the kernels with a thread an element

struct Builder {
  const Request& request;
  const Spectra& spectra;
  const std::int64_t images;  // in the workspace at a time
  const ConvProblem& p = request.problem;
  const std::int64_t pitch = images * spectra.tiles();  // from channel to channel of the spectra
  const std::int64_t input_channels = p.ci() * spectra.phases(), filter_channels = p.ci_per_group() * spectra.phases();

  // Of an image that is a single tile, nothing is cut.
  std::string say(const char* of_tiles, const char* of_images) const {
    return spectra.tiles() == 1 ? of_images : of_tiles;
  }

  // Which of three kinds of tiles.
  enum class Kind : std::uint8_t { filter, input, output };
  struct Part {
    Kind kind;
    std::int64_t first;  // image
    std::int64_t channels, tiles, pitch;
    Argument operand, spectra;
    bool channels_side_by_side;  // in the operand's memory
  };

  Part filter() const {
    return {Kind::filter, 0,   filter_channels,          p.co(),
            p.co(),       w(), buffer("filter_spectra"), request.layouts.w == FilterLayout::OHWI};
  }
  Part input(std::int64_t first, std::int64_t count) const {
    return {Kind::input,
            first,
            input_channels,
            count * spectra.tiles(),
            pitch,
            image(x(), p.x_shape(), request.layouts.x, first),
            buffer("input_spectra"),
            request.layouts.x == Layout::NHWC};
  }
  Part output(std::int64_t first, std::int64_t count) const {
    return {Kind::output,
            first,
            p.co(),
            count * spectra.tiles(),
            pitch,
            image(y(), p.y_shape(), request.layouts.y, first),
            buffer("product_spectra"),
            request.layouts.y == Layout::NHWC};
  }
  Argument image(const Argument& tensor, const Shape& shape, Layout layout, std::int64_t n) const {
    return tensor.at(n * dense_strides(layout, shape)[0] * size_of(request.dtype));
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
  // the input's elements are read along rows, since smaller blocks overlap their reading and computing better, unless
  // short numbers of so few tiles would write half sectors.
  Launch own_transform(std::string sentence, const Part& part) const {
    const bool forward = part.kind != Kind::output, filter = part.kind == Kind::filter;
    const int lines = std::max(spectra.rows.points, spectra.columns.points) / 2;
    const int channels = part.channels_side_by_side ? 4 : 1;
    const int most = forward && channels == 1 && !spectra_in_planes(request) ? 128 : 256;
    int tiles = most / 4;
    while (tiles > most / 16 && tiles * lines > most) tiles /= 2;
    const TransformBlock block{.tiles = tiles / channels, .channels = channels};
    Launch launch{.sentence = std::move(sentence),
                  .kernel = kernel_of(forward ? "fft_forward" : "fft_inverse",
                                      {{"tiles_per_block", static_cast<int>(block.tiles)},
                                       {"channels_per_block", static_cast<int>(block.channels)},
                                       {"of_filter", filter},
                                       {"planes", spectra_in_planes(request)},
                                       {"stored", spectra_type(request)},
                                       {"gauss", gauss(request)}}),
                  .grid = {ceil_div(part.channels, channels) * ceil_div(part.tiles, block.tiles)},
                  .block = {std::int64_t{tiles} * lines},
                  .arguments = {}};
    launch.kernel.architectures.least = 75;
    const Argument of_tiles = exponents(filter ? "filter_exponents" : "tile_exponents");
    if (forward) {
      launch.arguments = {part.operand, of_tiles, part.spectra, gauss(request) ? buffer("input_sums") : number(0)};
    } else {
      launch.arguments = {part.spectra, of_tiles, exponents("filter_exponents"), bias(), part.operand};
    }
    launch.arguments.push_back(number(part.tiles));
    launch.arguments.push_back(number(part.pitch));
    launch.writes = !forward ? "y" : filter ? "filter_spectra" : "input_spectra";
    launch.tiles = [problem = p, s = spectra, block, part_first = part.first, tiles_in_all = part.tiles, forward,
                    filter, entries = filter_entries(request)](const Dim3& at) {
      if (filter) return filter_boxes(problem, s, block, entries, at.x);
      return forward ? input_boxes(problem, s, block, part_first, tiles_in_all, at.x)
                     : output_boxes(problem, s, block, part_first, tiles_in_all, at.x);
    };
    return launch;
  }

  // Null where spectra are in FP32, which needs no scale.
  Argument exponents(const char* name) const { return spectra_in_planes(request) ? buffer(name) : number(0); }
  Launch find_exponents(const Part& part) const {
    const bool filter = part.kind == Kind::filter;
    const auto terms = static_cast<std::uint64_t>(filter ? p.taps() : spectra.points());
    const int log2_terms = static_cast<int>(std::bit_width(terms - 1));
    Launch launch{.sentence = filter ? "finds the scale of each output channel's filter"
                                     : say("finds the scale of each tile", "finds the scale of each image"),
                  .kernel = kernel_of("fft_exponents", {{"of_filter", filter}, {"log2_terms", log2_terms}}),
                  .grid = {part.tiles},
                  .block = {kThreads},
                  .arguments = {part.operand, buffer(filter ? "filter_exponents" : "tile_exponents")}};
    launch.kernel.architectures.least = 75;
    launch.writes = filter ? "filter_exponents" : "tile_exponents";
    return launch;
  }

  // cuFFT's transforms: dense tiles, their half spectra tile by tile, and those turned to bin by bin; or backwards. It
  // may work in what is idle then: the products before there are any, the input's spectra after they have been
  // multiplied.
  Launch gather(const Part& part) const {
    const bool filter = part.kind == Kind::filter;
    return {.sentence = filter ? say("lays out the filter in tiles", "pads the filter to the length of the transform")
                               : say("cuts the input into tiles", "pads whole images to the length of the transform"),
            .kernel = kernel_of("fft_gather", {{"of_filter", filter}}),
            .grid = {ceil_div(part.channels * part.tiles * spectra.points(), kThreads)},
            .block = {kThreads},
            .arguments = {part.operand, buffer("tiles"), number(part.tiles)},
            .writes = "tiles"};
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
    return {.sentence = to_bins ? "turns spectra to bins" : say("turns products to tiles", "turns products to images"),
            .kernel = kernel_of("fft_turn", {{"to_bins", to_bins}}),
            .grid = {ceil_div(spectra.bins, 32) * ceil_div(part.channels * part.tiles, 32)},
            .block = {32, 8},
            .arguments = {to_bins ? by_tile : part.spectra, to_bins ? part.spectra : by_tile, number(part.channels),
                          number(part.tiles), number(part.pitch), number(spectra.bins)},
            .writes = to_bins ? part.spectra.buffer : by_tile.buffer};
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

  void add_forward(std::vector<Step>& steps, const Part& part) const {
    if (own_transforms(request)) {
      const bool filter = part.kind == Kind::filter;
      if (spectra_in_planes(request)) steps.emplace_back(find_exponents(part));
      steps.emplace_back(own_transform(
          filter ? "transforms the filter" : say("transforms tiles of the input", "transforms whole images"), part));
    } else {
      steps.emplace_back(gather(part));
      steps.emplace_back(library_transform(part, Fft::Direction::real_to_complex));
      steps.emplace_back(turn(part, true));
    }
  }
  void add_inverse(std::vector<Step>& steps, const Part& part, std::int64_t count) const {
    if (own_transforms(request)) {
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
  require_few_pieces(build.p.n(), images);
  std::vector<Step> steps;
  build.add_forward(steps, build.filter());
  for (std::int64_t first = 0; first < build.p.n(); first += images) {
    const std::int64_t count = std::min(images, build.p.n() - first);
    build.add_forward(steps, build.input(first, count));
    for (Step& step : product_steps(request, spectra, images, first, count)) steps.push_back(std::move(step));
    build.add_inverse(steps, build.output(first, count), count);
  }
  return steps;
}

std::vector<Buffer> fft_scratch(const Request& request, const Spectra& spectra, std::int64_t images) {
  const Builder build{request, spectra, images};
  std::vector<Buffer> scratch;
  if (!own_transforms(request)) {
    scratch = {
        {"tiles", checked::product("bytes of the tiles", {build.most_lines(), spectra.points(), kReal})},
        {"half_spectra", checked::product("bytes of half_spectra", {build.most_lines(), spectra.bins, kComplex})}};
  }
  if (spectra_in_planes(request)) {
    scratch.push_back({"filter_exponents", build.p.co() * kExponent});
    scratch.push_back({"tile_exponents", build.pitch * kExponent});
    if (gauss(request))
      scratch.push_back(
          {"input_sums", checked::product("bytes of the sums", {spectra.bins, build.input_channels, build.pitch,
                                                                size_of(spectra_type(request))})});
  }
  if (request.options.is("gemm", "cublas")) scratch.push_back(cublas_workspace());
  return scratch;
}

}  // namespace convlens::gpu
