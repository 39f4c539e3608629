#include "kernels/fft/fft_spectra.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/fft/transform.h"
#include "algorithms/interface/window.h"
#include "kernels/fft/fft_spectra_map.h"

namespace convlens::gpu {

namespace {

SpectrumAxis axis_of(const WindowAxis& window, bool by_phases, int points) {
  const auto narrow = [](std::int64_t size) { return static_cast<int>(size); };
  return {.size = narrow(window.size),
          .outputs = narrow(window.outputs),
          .taps = narrow(window.taps),
          .stride = narrow(window.stride),
          .dilation = narrow(window.dilation),
          .pad = narrow(window.pad),
          .points = points,
          .step = by_phases ? narrow(window.stride) : 1};
}

// What a choice of lengths costs, in bytes moved: spectra are written and read once, and a GPU's CUDA cores make about
// ten FLOPs of the product in the time in which its memory moves a byte, its tensor cores about a hundred.
double cost(const ConvProblem& p, const Spectra& s, bool tensor_cores) {
  const auto channels = static_cast<double>(p.ci_per_group() * s.phases()), outputs = static_cast<double>(p.co());
  const double tiles = static_cast<double>(p.n()) * static_cast<double>(s.tiles());
  const double product = 8 * channels * outputs / (tensor_cores ? 100 : 10);
  const double moved = (tensor_cores ? 8 : 16) * channels * static_cast<double>(p.groups()) + 16 * outputs;
  return static_cast<double>(s.bins) * (tiles * (product + moved) + 16 * channels * outputs);
}

bool fits(const SpectrumAxis& axis) { return axis.extent() <= axis.points; }

}  // namespace

Bin Spectra::bin(std::int64_t b) const {
  const std::int64_t h = rows.points, w = columns.points, half = w / 2 + 1;
  if (bins == h * half) return {b / half, b % half};  // of two rows both orders are the same
  if (b < 2 * half) return {b / half * (h / 2), b % half};
  return {1 + (b - 2 * half) / w, (b - 2 * half) % w};
}

Spectra spectra_of(const Request& request) {
  const ConvProblem& p = request.problem;
  const bool by_phases = request.options.is("stride", "phases"), library = !own_transforms(request);
  const auto make = [&](int points_h, int points_w) -> Spectra {
    const std::int64_t h = points_h, w = points_w;
    return {axis_of(WindowAxis::rows(p), by_phases, points_h), axis_of(WindowAxis::columns(p), by_phases, points_w),
            library ? h * (w / 2 + 1) : h * w / 2 + 2};
  };
  Spectra longest = make(32, 32);
  if (library && request.options.is("transform", "whole")) {
    const auto span = [](const SpectrumAxis& axis) {
      return (std::int64_t{axis.outputs} - 1) * axis.keep() + axis.extent();
    };
    return make(static_cast<int>(fft::good_height(span(longest.rows))),
                static_cast<int>(fft::good_width(span(longest.columns))));
  }
  if (!request.options.is("tile", "best")) {
    const int points = static_cast<int>(request.options.integer("tile"));
    longest = make(points, points);
  }
  if (!fits(longest.rows) || !fits(longest.columns))
    throw Unsupported("tile " + std::to_string(longest.rows.points) +
                      ", must be ≥ the extent of the dilated filter's " + (by_phases ? "phases " : "taps ") +
                      std::to_string(longest.rows.extent()) + "x" + std::to_string(longest.columns.extent()));
  if (!request.options.is("tile", "best")) return longest;

  Spectra best = longest;
  for (const int h : kTileLengths)
    for (const int w : kTileLengths)
      if (const Spectra s = make(h, w);
          fits(s.rows) && fits(s.columns) &&
          cost(p, s, size_of(request.dtype) == 2) < cost(p, best, size_of(request.dtype) == 2))
        best = s;
  return best;
}

bool spectra_in_planes(const Request& request) { return size_of(request.dtype) == 2; }
bool tf32_spectra(const Request& request) {
  return spectra_in_planes(request) && request.options.is("spectra", "tf32");
}
DType spectra_type(const Request& request) { return tf32_spectra(request) ? DType::f32 : request.dtype; }
bool gauss(const Request& request) { return spectra_in_planes(request) && request.options.is("multiplications", "3"); }
std::int64_t filter_entries(const Request& request) { return gauss(request) ? 3 : spectra_in_planes(request) ? 2 : 1; }
bool own_transforms(const Request& request) {
  return spectra_in_planes(request) || request.options.is("transform", "own");
}

std::vector<Stage> fft_stages(const Request& request, const Spectra& s, std::int64_t images) {
  const ConvProblem& p = request.problem;
  const bool three = gauss(request);
  const std::int64_t entries = filter_entries(request);
  const bool whole = s.tiles() == 1;
  const std::string tile = whole ? "" : "tile (i, j) of ";
  const std::string scaled = !spectra_in_planes(request) ? ""
                             : whole                     ? ", times a power of two that the image has of its own"
                                                         : ", times a power of two that the tile has of its own";
  const std::int64_t ti = s.rows.tiles(), tj = s.columns.tiles(), channels = p.ci_per_group();
  const Axis image{"n", "N", p.n(), images}, tile_row{"i", "T_h", ti, ti}, tile_column{"j", "T_w", tj, tj};
  const Axis phase{"f", "(s_h·s_w)", s.phases(), s.phases()}, bin{"b", "B", s.bins, s.bins};
  const Axis entry{"e", std::to_string(entries), entries, entries};

  Stage x, w, y;
  x.id = "input_spectra";
  x.title = "input spectra X̂";
  x.meaning = "kept bin b of the transform of " + tile + "input channel c, phase f of the stride" + scaled;
  x.made_from = {kInput};
  x.axes = {image, {"c", "C_i", p.ci(), p.ci()}, phase, tile_row, tile_column, bin};
  x.map = erase(InputSpectraMap(p, s));

  w.id = "filter_spectra";
  w.title = "filter spectra Ŵ";
  w.meaning =
      entries == 1
          ? "kept bin b of the transform of phase f of the filter's slice (o, c), not flipped and not yet conjugated"
      : three ? "of kept bin c + id of phase f of the filter's slice (o, c): c, c + d or c - d, scaled for o"
              : "of kept bin c + id of phase f of the filter's slice (o, c): the row (c, -d) or (d, c), scaled for o";
  w.made_from = {kFilter};
  const Axis group_channel{"c", p.groups() == 1 ? "C_i" : "(C_i/groups)", channels, channels};
  w.axes = {{"o", "C_o", p.co(), p.co()}, group_channel, phase, bin};
  if (entries > 1) w.axes.push_back(entry);
  w.map = erase(FilterSpectraMap(p, s, entries));

  y.id = "product_spectra";
  y.title = "product spectra Ŷ";
  y.meaning = "kept bin b of " + tile + "output channel o: the sum over c and f of X̂ · conj Ŵ";
  if (three) y.meaning = "of kept bin b of " + tile + "output channel o: the sum over c and f of X̂'s and Ŵ's parts e";
  if (spectra_in_planes(request)) y.meaning += ", times both their powers of two";
  y.made_from = {stage_operand(0), stage_operand(1)};
  y.axes = {image, {"o", "C_o", p.co(), p.co()}, tile_row, tile_column, bin};
  if (three) y.axes.push_back(entry);
  y.map = erase(ProductSpectraMap(p, s, entries));

  for (Stage* stage : {&x, &w, &y}) {
    stage->dtype = stage == &y ? DType::f32 : spectra_type(request);
    stage->complex = stage == &x || !three;
  }
  // Each bin is a matrix of channels and tiles. Real and imaginary parts of short spectra lie in planes of their own.
  x.lay_out({5, 1, 2, 0, 3, 4});
  if (entries == 1)
    w.lay_out({3, 1, 2, 0});
  else if (three)
    w.lay_out({4, 3, 1, 2, 0});
  else
    w.lay_out({3, 4, 1, 2, 0});
  if (three)
    y.lay_out({5, 4, 1, 0, 2, 3});
  else
    y.lay_out({4, 1, 0, 2, 3});
  return {x, w, y};
}

}  // namespace convlens::gpu
