// fft.cc and fft.tc: convolution as a product of spectra, on CUDA cores and on tensor cores.
//
//   y = IFFT( Σ_c X̂_c · conj Ŵ_c ) + bias        of overlapping tiles (overlap-save), see algorithms/fft/fft_ref.cpp
//
//   transform   tiles                                  transforms by
//   own         `tile`, P ≤ 32 points an axis          kernels/fft/fft_forward.cu, fft_inverse.cu: lines in registers
//   cufft       `tile`                                 cuFFT, between kernels that cut tiles and turn spectra
//   whole       one, rounded up to 2^a·3^b·5^c (even)  cuFFT
//
// A stride is taken by phases (fft_axis.cuh): s_h·s_w times as many input channels, in transforms as many times
// smaller, instead of an inverse transform of which all but every s-th output is thrown away.
//
// On tensor cores transforms are the own ones, in FP32; spectra are stored short, scaled by a power of two for each
// tile, and a complex product is one real product of twice the size, or three after Gauss (fft_store.cuh).
//
// FLOPs: as fft.ref counts them, 2.5·P·log₂P a real transform of P points; a complex multiply-add is 8, or 6 with three
// multiplications.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "algorithms/fft/fft_error.h"
#include "algorithms/problem/checked.h"
#include "kernels/common/products.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/fft/fft.h"
#include "kernels/fft/fft_program.h"
#include "kernels/fft/fft_rules.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

// The most spectra that are in memory at a time, unless `chunk` says how many images; one image's in any case.
constexpr std::int64_t kSpectraBytes = std::int64_t{4} << 30;

// Tensor cores read the first 10 bits of an f32's fraction and cut the rest off.
constexpr double kTf32Roundoff = 0x1p-10;

std::vector<std::string> tile_values() {
  std::vector<std::string> values{"best"};
  for (const int length : kTileLengths) values.push_back(std::to_string(length));
  return values;
}

// How many images at a time: as `chunk` says, or in as few equal chunks as memory allows.
std::int64_t chunk_of(const Request& request, const Spectra& s) {
  const ConvProblem& p = request.problem;
  if (p.n() == 0) return 0;
  if (const long chosen = request.options.integer("chunk"); chosen > 0) return std::min<std::int64_t>(chosen, p.n());
  std::int64_t budget = kSpectraBytes;
  if (request.memory_limit) budget = std::min(budget, *request.memory_limit - request.tensor_bytes());
  const auto bytes = [&](std::int64_t images) {
    std::int64_t sum = 0;
    for (const Stage& stage : fft_stages(request, s, images)) sum += stage.bytes();
    for (const Buffer& buffer : fft_scratch(request, s, images)) sum += buffer.bytes;
    return sum;
  };
  const std::int64_t fixed = bytes(0), image = std::max<std::int64_t>(bytes(1) - fixed, 1);
  // At most so many by what an image adds at least; what is shared with the filter's tiles may take more of the budget.
  std::int64_t least = 1, most = std::clamp<std::int64_t>((budget - fixed) / image, 1, p.n());
  while (least < most) {
    const std::int64_t middle = (least + most + 1) / 2;
    if (bytes(middle) <= budget)
      least = middle;
    else
      most = middle - 1;
  }
  return ceil_div(p.n(), ceil_div(p.n(), most));
}

std::int64_t executed_flops(const Request& request, const Spectra& s) {
  const ConvProblem& p = request.problem;
  const char* const what = "executed FLOPs";
  const double points = static_cast<double>(s.points());
  const std::int64_t transform = std::llround(2.5 * points * std::log2(points)), phases = s.phases();
  const bool three = request.options.is("multiplications", "3");
  const std::int64_t product = gauss(request) || (three && request.options.is("gemm", "own")) ? 6 : 8;
  return checked::sum(what,
                      {checked::product(what, {p.n(), p.ci(), phases, s.tiles(), transform}),
                       checked::product(what, {p.co(), p.ci_per_group(), phases, transform}),
                       checked::product(what, {product, p.n(), p.co(), p.ci_per_group(), phases, s.tiles(), s.bins}),
                       checked::product(what, {p.n(), p.co(), s.tiles(), transform})});
}

Decisions decide(const Request& request) {
  const ConvProblem& p = request.problem;
  const Spectra s = spectra_of(request);
  const std::int64_t images = chunk_of(request, s);
  Decisions d = decisions({request, fft_steps(request, s, images)});
  d.stages = fft_stages(request, s, images);
  d.scratch = fft_scratch(request, s, images);
  d.executed_flops = executed_flops(request, s);
  // The points that a tile's outputs read: with phases, those of all phases.
  const auto length = [](const SpectrumAxis& axis) {
    return (std::int64_t{axis.points} - axis.extent()) * axis.step + axis.filter_span();
  };
  const bool whole = !own_transforms(request) && request.options.is("transform", "whole");
  std::optional<fft::ShortSpectra> stored;
  if (spectra_in_planes(request))
    stored = {.roundoff = tf32_spectra(request) ? kTf32Roundoff : unit_roundoff(request.dtype),
              .smallest = smallest_subnormal(spectra_type(request)),
              .multiplications = gauss(request) ? 3 : 4,
              .sums = kTensorCores};
  d.error_model = fft::error_model(p, request.dtype, {length(s.rows), length(s.columns)},
                                   whole ? Spread::image : Spread::tile, s.phases(), stored);
  d.notes = {"transform: " + std::to_string(s.rows.points) + "x" + std::to_string(s.columns.points) + " points, " +
                 std::to_string(s.rows.tiles()) + "x" + std::to_string(s.columns.tiles()) + " tiles",
             "phases: " + std::to_string(s.rows.phases()) + "x" + std::to_string(s.columns.phases()),
             "images at a time: " + std::to_string(images)};
  return d;
}

Option tile_option() {
  return {"tile", "Tile length", "The points along each axis of a tile's transform.", tile_values(), "best"};
}
Option stride_option() {
  return {"stride",
          "Strides",
          "Take a stride by phases, as further channels, or keep every s-th output of stride 1.",
          {"phases", "dense"},
          "phases",
          true};
}
Option chunk_option() {
  return {"chunk",
          "Images at a time",
          "How many images' spectra are in the workspace at a time; 0: as many as 4 GiB hold.",
          {},
          "0",
          false,
          integer_between(0, 1'000'000'000)};
}

// The own GEMM's options, with its tile named apart from that of the transforms.
std::vector<Option> tensor_options() {
  std::vector<Option> all{
      tile_option(),
      stride_option(),
      {"spectra",
       "Type of the spectra",
       "Store spectra in the tensors' type, or in FP32, of which tensor cores then read as TF32 10 bits.",
       {"tensor", "tf32"},
       "tensor"},
      {"gemm", "Product", "Who multiplies the real matrices of the spectra.", {"cublas", "own"}, "cublas"},
      {"multiplications",
       "Multiplications",
       "Real products in a complex one: 4, as one product of twice the size, or Gauss's 3.",
       {"4", "3"},
       "4",
       true},
      chunk_option()};
  for (Option& option : tensor_tiling_options()) {
    if (option.id == "tile") option.id = "gemm_tile";
    all.push_back(std::move(option));
  }
  all.push_back(sizes_option());
  return all;
}

}  // namespace

const Algorithm& fft_cc() {
  static const Algorithm row{
      .id = "fft.cc",
      .family = "fft",
      .unit = Unit::cc,
      .title = "FFT on CUDA cores",
      .sentence =
          "Transforms overlapping tiles, or images, and the filter, multiplies spectra bin by bin, transforms back.",
      .source = "Vasilache et al. 2015, arXiv 1412.7580",
      .options = {{"transform",
                   "Transforms",
                   "Tiles transformed by the kernels to read, or by cuFFT, or whole images by cuFFT.",
                   {"own", "cufft", "whole"},
                   "own"},
                  tile_option(),
                  stride_option(),
                  {"gemm", "Product", "Add up channels by the kernel to read, or by cuBLAS.", {"own", "cublas"}, "own"},
                  {"multiplications",
                   "Multiplications",
                   "Real multiplications in a complex one of the own product: 4, or Gauss's 3.",
                   {"3", "4"},
                   "3",
                   true},
                  chunk_option(),
                  sizes_option()},
      .rules = fft_rules(f32_only()),
      .decide = decide,
  };
  return row;
}

const Algorithm& fft_tc() {
  static const Algorithm row{
      .id = "fft.tc",
      .family = "fft",
      .unit = Unit::tc,
      .title = "FFT on tensor cores",
      .sentence = "Transforms overlapping tiles in single precision, multiplies short spectra as real matrices.",
      .source = "Vasilache et al. 2015, arXiv 1412.7580",
      .options = tensor_options(),
      .rules = fft_rules(f16_or_bf16()),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
