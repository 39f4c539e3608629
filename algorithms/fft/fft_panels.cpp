#include "algorithms/fft/fft_panels.h"

#include <algorithm>

#include "algorithms/fft/vector_transform.h"
#include "algorithms/simd/panels.h"
#include "algorithms/simd/tile.h"

namespace convlens::fft {

namespace {

struct PanelMap {
  std::int64_t ci_per_group, co_per_group, width, per_group, n, ho, wo;
  Operand from;

  std::int64_t output(const Coord& cell) const {  // −1 beyond the group
    const std::int64_t within = cell[2] % per_group * width + cell[4];
    return within < co_per_group ? cell[2] / per_group * co_per_group + within : -1;
  }

  template <class Emit>
  SourceKind sources(const Coord& cell, Emit&& emit) const {
    if (output(cell) < 0) return SourceKind::alignment_padding;
    emit(Term{from, Box::cell({output(cell), cell[3] % ci_per_group, cell[0], cell[1]})});
    return SourceKind::region;
  }

  template <class Emit>
  void cells(Operand operand, const Coord& spectrum, Emit&& emit) const {
    if (operand != from) return;
    const auto [o, c, k, l, unused4, unused5] = spectrum;
    const std::int64_t within = o % co_per_group, panel = o / co_per_group * per_group + within / width;
    for (std::int64_t row : {c, ci_per_group + c}) emit(Box::cell({k, l, panel, row, within % width}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (output(cell) >= 0) emit(Box{{0, output(cell), 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

}  // namespace

SpectrumPanels::SpectrumPanels(const ConvProblem& p, std::int64_t length)
    : problem_(p), length_(length), width_(simd::tile_width()) {
  constexpr std::int64_t kLine = 64 / sizeof(float);  // channels whose taps share a cache line in OHWI
  constexpr std::int64_t kGathered = 16 * 1024;       // floats that stay in the L2 cache
  per_group_ = (p.co_per_group() + width_ - 1) / width_;
  piece_ = std::clamp<std::int64_t>(kGathered / (p.taps() * width_), 1, kLine);
}

SpectrumPanels::Panel SpectrumPanels::at(std::int64_t number) const {
  const std::int64_t g = number / per_group_, within = number % per_group_ * width_;
  return {number, g, g * problem_.co_per_group() + within, std::min(width_, problem_.co_per_group() - within)};
}

Stage SpectrumPanels::stage(Operand spectra) const {
  const std::int64_t channels = problem_.ci_per_group(), half = length_ / 2 + 1;
  Stage stage;
  stage.id = "panels";
  stage.title = "panels of Ŵ";
  stage.meaning = "Ŵ packed for the micro-kernel: real parts, then imaginary ones, the outputs of a panel together";
  stage.made_from = {spectra};
  stage.axes = {{"k", "P", length_, length_},
                {"l", "(P/2+1)", half, half},
                {"β", "groups·⌈C_o/groups/width⌉", count(), count()},
                {"ρ", problem_.groups() == 1 ? "2·C_i" : "2·C_i/groups", 2 * channels, 2 * channels},
                {"j", "width", width_, width_}};
  stage.map = erase(PanelMap{channels, problem_.co_per_group(), width_, per_group_, problem_.n(), problem_.ho(),
                             problem_.wo(), spectra});
  stage.axes[3].resident = 2 * channels + 1;  // bins are then no power of two apart, which caches do not like
  stage.lay_out({2, 0, 1, 3, 4});
  return stage;
}

void SpectrumPanels::fill(const Panel& panel, std::int64_t piece, View<const float> w, float* gathered, float* to,
                          std::int64_t bin_step, bool vectors) const {
  const std::int64_t first = piece * piece_, channels = std::min(piece_, problem_.ci_per_group() - first);
  simd::gather_filters(w, panel.first_output, panel.outputs, width_, first, channels, gathered);

  const float* in[kLongestTile * kLongestTile];  // null between the taps of a dilated filter
  std::fill_n(in, problem_.extent_h() * problem_.extent_w(), nullptr);
  for (std::int64_t u = 0; u < problem_.hf(); ++u)
    for (std::int64_t v = 0; v < problem_.wf(); ++v, gathered += channels * width_)
      in[u * problem_.spec().dilation_h * problem_.extent_w() + v * problem_.spec().dilation_w] = gathered;
  forward(length_,
          {.in = in,
           .rows = problem_.extent_h(),
           .columns = problem_.extent_w(),
           .out = to + first * width_,
           .bin_step = bin_step,
           .imaginary = problem_.ci_per_group() * width_,
           .channels = channels * width_},
          vectors);
}

}  // namespace convlens::fft
