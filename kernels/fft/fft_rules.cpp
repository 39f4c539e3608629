#include "kernels/fft/fft_rules.h"

#include <algorithm>
#include <limits>
#include <string>

#include "algorithms/error.h"
#include "algorithms/interface/window.h"
#include "kernels/fft/fft_spectra.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

// Kernels compute positions in a padded image as ints, up to a tile beyond its end, and number channels and phases.
std::optional<Refusal> positions_are_ints(const Request& request) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const ConvProblem& p = request.problem;
  for (const WindowAxis& axis : {WindowAxis::rows(p), WindowAxis::columns(p)})
    if (const std::int64_t end = axis.span() + 32 * axis.stride; end > most)
      return Refusal{"fft: padded image and 32 strides " + std::to_string(end) + ", must be ≤ 2147483647", {}};
  // What an exponent of a tile is found from, where spectra are scaled.
  const std::int64_t under_tile = std::min(p.hi(), 32 * p.spec().stride_h) * std::min(p.wi(), 32 * p.spec().stride_w);
  if (size_of(request.dtype) == 2)
    if (std::string why = why_not_counted("fft: elements under a tile", p.ci() * under_tile); !why.empty())
      return Refusal{std::move(why), {}};
  const std::int64_t phases = request.options.is("stride", "phases") ? std::min(p.spec().stride_h, p.extent_h()) *
                                                                           std::min(p.spec().stride_w, p.extent_w())
                                                                     : 1;
  if (phases <= kMostCounted / std::max<std::int64_t>(p.ci(), 1)) return std::nullopt;
  Refusal refusal{"fft: channels times phases " + std::to_string(p.ci()) + "·" + std::to_string(phases) +
                      ", must be ≤ " + std::to_string(kMostCounted),
                  request};
  refusal.nearest->options.set("stride", "dense");
  return refusal;
}

std::optional<Refusal> filter_fits_tile(const Request& request) {
  try {
    spectra_of(request);
    return std::nullopt;
  } catch (const Unsupported& too_long) {
    Refusal refusal{"fft: " + std::string(too_long.what()), request};
    refusal.nearest->options.set("tile", "best");
    const auto fits = [&] {
      try {
        return spectra_of(*refusal.nearest), true;
      } catch (const Unsupported&) {
        return false;
      }
    };
    if (fits()) return refusal;
    if (spectra_in_planes(request))
      refusal.nearest.reset();
    else
      refusal.nearest->options.set("transform", "whole");
    return refusal;
  }
}

std::optional<Refusal> tf32_by_cublas(const Request& request) {
  if (!tf32_spectra(request) || request.options.is("gemm", "cublas")) return std::nullopt;
  Refusal refusal{"spectra: tf32, needs gemm=cublas, as the own GEMM multiplies f16 and bf16", request};
  refusal.nearest->options.set("gemm", "cublas");
  return refusal;
}

}  // namespace

std::vector<Rule> fft_rules(const Rule& dtype) {
  return {dtype,
          int_offsets(),
          {"gemm=cublas where spectra=tf32", tf32_by_cublas},
          {"padded image below 2^31", positions_are_ints},
          {"tiles: a phase of the dilated filter no longer than the tile", filter_fits_tile}};
}

}  // namespace convlens::gpu
