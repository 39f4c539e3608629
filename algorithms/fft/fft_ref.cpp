// fft.ref: convolution as a product of spectra.
//
//   y = IFFT( Σ_c X̂_c · conj Ŵ_c ) + bias        X̂ = FFT(x), Ŵ = FFT(w)
//
// The conjugate is what makes this a cross-correlation: a product of spectra is a convolution, which flips the filter,
// and conjugating the spectrum of a real filter flips it back. So the filter's *spectrum is conjugated*, and the
// filter itself is put down as it is (with gaps, where it is dilated).
//
// Source: Mathieu, Henaff & LeCun, "Fast training of convolutional networks through FFTs", 2013, arXiv 1312.5851; tiles
// after Vasilache et al. (fbfft), 2015, arXiv 1412.7580. A transform is circular: its last outputs wrap around and mix
// both ends of the tile. Those are thrown away (overlap-save), so a length P ≥ what the kept outputs read is enough.
//
//   transform   P along an axis                                             tiles
//   whole       what all outputs read, rounded up to 2^a·3^b·5^c (even)     1
//   tiled       `tile`, or less where the whole image needs less            ⌈H_o/m⌉, m = ⌊(P − extent)/s⌋ + 1 outputs
//
// Each input channel is transformed once for all C_o, each filter once for all N. A stride saves no transform: the
// inverse gives the outputs of stride 1, and every s-th is kept. f16 and bf16 are widened to f32.
#include <omp.h>

#include <algorithm>

#include "algorithms/fft/fft.h"
#include "algorithms/fft/fft_error.h"
#include "algorithms/fft/fft_map.h"
#include "algorithms/fft/fft_stages.h"
#include "algorithms/fft/transform.h"
#include "algorithms/problem/checked.h"

namespace convlens {

namespace {

const std::vector<std::string>& tile_lengths() {
  static const std::vector<std::string> lengths{"8", "16", "32", "64", "128"};
  return lengths;
}

fft::Lengths lengths_of(const Request& request) {
  const fft::Lengths whole{fft::good_height(WindowAxis::rows(request.problem).span()),
                           fft::good_width(WindowAxis::columns(request.problem).span())};
  if (request.options.is("transform", "whole")) return whole;
  const std::int64_t tile = request.options.integer("tile");
  return {std::min(tile, whole.h), std::min(tile, whole.w)};
}

std::optional<Refusal> filter_fits_tile(const Request& request) {
  const ConvProblem& p = request.problem;
  const std::int64_t extent = std::max(p.extent_h(), p.extent_w());
  if (request.options.is("transform", "whole") || extent <= request.options.integer("tile")) return std::nullopt;
  Refusal refusal{"fft: tile " + request.options["tile"] + ", must be ≥ the dilated filter's extent " +
                      std::to_string(p.extent_h()) + "x" + std::to_string(p.extent_w()),
                  request};
  const auto long_enough = [&](const std::string& tile) { return std::stol(tile) >= extent; };
  const auto fits = std::ranges::find_if(tile_lengths(), long_enough);
  if (fits != tile_lengths().end())
    refusal.nearest->options.set("tile", *fits);
  else
    refusal.nearest->options.set("transform", "whole");
  return refusal;
}

// What a run needs to know beyond its arguments. `workers` threads have a tile of their own to transform in.
struct Setting {
  ConvProblem problem;
  fft::Lengths lengths;
  fft::InputSpectrumMap input;
  std::vector<Stage> stages;
  std::int64_t workers, tile_bytes;
};

// sum += x · conj w, bin by bin. Written out, so that it is the same two products and two sums for any value: NaN and
// Inf included.
template <class Real>
void add_product(const std::complex<Real>* x, const std::complex<Real>* w, std::complex<Real>* sum, std::int64_t bins) {
  for (std::int64_t b = 0; b < bins; ++b)
    sum[b] += std::complex<Real>(x[b].real() * w[b].real() + x[b].imag() * w[b].imag(),
                                 x[b].imag() * w[b].real() - x[b].real() * w[b].imag());
}

template <class T>
struct Run {
  using Real = Accumulator<T>;
  using Complex = std::complex<Real>;

  const Setting& setting;
  View<const T> x, w;
  Bias<T> bias;
  View<T> y;
  Complex *x_hat, *w_hat, *y_hat;
  std::byte* tiles;
  int threads;
  fft::RealTransform2D<Real> transform{setting.lengths};
  const ConvProblem& p = setting.problem;
  const fft::TileAxis &rows = setting.input.rows, &columns = setting.input.columns;
  const std::int64_t pitch = setting.lengths.pitch();

  Complex* own_tile() const { return reinterpret_cast<Complex*>(tiles + omp_get_thread_num() * setting.tile_bytes); }

  void transform_input() const {
#pragma omp parallel for collapse(4) num_threads(threads)
    for (std::int64_t n = 0; n < p.n(); ++n)
      for (std::int64_t c = 0; c < p.ci(); ++c)
        for (std::int64_t i = 0; i < rows.tiles; ++i)
          for (std::int64_t j = 0; j < columns.tiles; ++j) {
            Complex* const tile = own_tile();
            Real* const pixels = reinterpret_cast<Real*>(tile);
            std::fill_n(pixels, rows.span() * pitch, Real(0));
            setting.input.sources({n, c, i, j}, [&](const Term& term) {
              for (std::int64_t h = term.at.first[2]; h < term.at.first[2] + term.at.extent[2]; ++h)
                for (std::int64_t v = term.at.first[3]; v < term.at.first[3] + term.at.extent[3]; ++v)
                  pixels[(h - rows.origin(i)) * pitch + v - columns.origin(j)] = static_cast<Real>(x(n, c, h, v));
            });
            transform.forward(tile, rows.span(), x_hat + setting.stages[0].offset({n, c, i, j}));
          }
  }

  void transform_filter() const {
    const std::int64_t step_h = p.spec().dilation_h, step_w = p.spec().dilation_w;
#pragma omp parallel for collapse(2) num_threads(threads)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t c = 0; c < p.ci_per_group(); ++c) {
        Complex* const tile = own_tile();
        Real* const taps = reinterpret_cast<Real*>(tile);
        std::fill_n(taps, p.extent_h() * pitch, Real(0));
        for (std::int64_t u = 0; u < p.hf(); ++u)
          for (std::int64_t v = 0; v < p.wf(); ++v)
            taps[u * step_h * pitch + v * step_w] = static_cast<Real>(w(o, c, u, v));
        transform.forward(tile, p.extent_h(), w_hat + setting.stages[1].offset({o, c}));
      }
  }

  void multiply() const {
    const std::int64_t bins = setting.lengths.bins();
#pragma omp parallel for collapse(4) num_threads(threads)
    for (std::int64_t n = 0; n < p.n(); ++n)
      for (std::int64_t o = 0; o < p.co(); ++o)
        for (std::int64_t i = 0; i < rows.tiles; ++i)
          for (std::int64_t j = 0; j < columns.tiles; ++j) {
            const std::int64_t first_channel = p.group_of_output(o) * p.ci_per_group();
            Complex* const sum = y_hat + setting.stages[2].offset({n, o, i, j});
            std::fill_n(sum, bins, Complex(0));
            for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
              add_product(x_hat + setting.stages[0].offset({n, first_channel + c, i, j}),
                          w_hat + setting.stages[1].offset({o, c}), sum, bins);
          }
  }

  void transform_output() const {
    const std::int64_t step_h = p.spec().stride_h, step_w = p.spec().stride_w;
    const Real points = static_cast<Real>(setting.lengths.points());
#pragma omp parallel for collapse(4) num_threads(threads)
    for (std::int64_t n = 0; n < p.n(); ++n)
      for (std::int64_t o = 0; o < p.co(); ++o)
        for (std::int64_t i = 0; i < rows.tiles; ++i)
          for (std::int64_t j = 0; j < columns.tiles; ++j) {
            Complex* const tile = own_tile();
            const Real* const sums = reinterpret_cast<const Real*>(tile);
            transform.inverse(y_hat + setting.stages[2].offset({n, o, i, j}), tile, rows.outputs(i), step_h);
            for (std::int64_t r = 0; r < rows.outputs(i); ++r)
              for (std::int64_t s = 0; s < columns.outputs(j); ++s)
                y(n, o, rows.first_output(i) + r, columns.first_output(j) + s) =
                    static_cast<T>(bias[o] + sums[r * step_h * pitch + s * step_w] / points);
          }
  }
};

Decisions decide(const Request& request) {
  if (const auto refusal = filter_fits_tile(request)) throw Unsupported(refusal->reason);
  const ConvProblem& p = request.problem;
  const fft::Lengths lengths = lengths_of(request);
  const fft::InputSpectrumMap input(p, lengths);
  const bool whole = request.options.is("transform", "whole");

  Decisions d;
  d.stages = fft::stages(p, request.dtype, lengths);
  const std::int64_t cell = d.stages[0].cell_bytes();
  const std::int64_t workers = request.resolved_threads();
  const std::int64_t tile_bytes = (checked::product("bytes of a tile", {lengths.tile(), cell}) + 63) / 64 * 64;
  d.scratch = {{"tiles", checked::product("bytes of the tiles", {workers, tile_bytes})}};
  d.executed_flops = fft::executed_flops(p, lengths);
  d.error_model = fft::error_model(p, request.dtype, lengths, whole ? Spread::image : Spread::tile);
  d.notes = {"transform: " + std::to_string(lengths.h) + "x" + std::to_string(lengths.w) + " points, " +
             std::to_string(input.rows.tiles) + "x" + std::to_string(input.columns.tiles) + " tiles"};
  const Setting s{p, lengths, input, d.stages, workers, tile_bytes};
  d.execute = [s](const Arguments& a, const Workspace& memory, int threads, Stream) {
    visit(a.y.dtype, [&]<class T>() {
      using Complex = std::complex<Accumulator<T>>;
      const Run<T> run{s,
                       a.x.as<T>(),
                       a.w.as<T>(),
                       a.bias.as<T>(),
                       a.y.as<T>(),
                       memory.get<Complex>("input_spectra"),
                       memory.get<Complex>("filter_spectra"),
                       memory.get<Complex>("product_spectra"),
                       memory.get<std::byte>("tiles"),
                       static_cast<int>(std::min<std::int64_t>(threads, s.workers))};
      run.transform_input();
      run.transform_filter();
      run.multiply();
      run.transform_output();
    });
  };
  return d;
}

}  // namespace

const Algorithm& fft_ref() {
  static const Algorithm row{
      .id = "fft.ref",
      .family = "fft",
      .unit = Unit::cpu,
      .title = "FFT, whole image or overlap-save tiles",
      .sentence = "Transforms image and filter, multiplies spectrum by conjugate spectrum, and transforms back.",
      .source = "Mathieu, Henaff & LeCun 2013, arXiv 1312.5851",
      .options = {{"transform", "Transform", "How much is transformed at a time.", {"whole", "tiled"}, "whole"},
                  {"tile", "Tile length", "The points along each axis of a tile's transform.", tile_lengths(), "32"}},
      .rules = {{"transform=tiled: dilated filter no longer than the tile", filter_fits_tile}},
      .decide = decide,
      .missing = [] { return fft::available() ? std::string() : std::string("built without KissFFT"); },
  };
  return row;
}

}  // namespace convlens
