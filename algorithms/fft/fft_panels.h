// The filter spectra Ŵ packed for the micro-kernel (simd/tile.h): a panel for each bin, group and set of outputs.
//
//   P(k, l, β, ρ, j) = Re Ŵ(o, c, k, l) for ρ = c < C_i/G, Im Ŵ(o, c, k, l) for ρ = C_i/G + c
//
// with β = g·⌈C_o/G/width⌉ + b and o = g·C_o/G + b·width + j, zero where o is beyond the group. With the real and the
// imaginary parts of X̂ as the left operand's two segments, one real product gives a part of Σ_c X̂ · conj Ŵ:
//
//   Re = [Re X̂, Im X̂] · P      Im = [Im X̂, −Re X̂] · P
//
// Ŵ itself is never stored: the filters of a panel are transformed side by side, an output channel a lane.
#pragma once

#include "algorithms/fft/transform.h"
#include "algorithms/interface/stage.h"
#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/view.h"

namespace convlens::fft {

class SpectrumPanels {
 public:
  SpectrumPanels(const ConvProblem& problem, std::int64_t length);

  // What panel β makes: `outputs` channels from `first_output` on, of which there are at most width(), of group g.
  struct Panel {
    std::int64_t number, g, first_output, outputs;
  };
  std::int64_t count() const { return problem_.groups() * per_group_; }
  std::int64_t width() const { return width_; }
  Panel at(std::int64_t number) const;

  // P as a stage, "panels", made from the stage `spectra`; what is beyond C_o is alignment padding.
  Stage stage(Operand spectra) const;

  // A panel is filled piece by piece, each some of its channels c, whose filters are gathered first.
  std::int64_t pieces() const { return (problem_.ci_per_group() + piece_ - 1) / piece_; }
  std::int64_t gathered_floats() const { return problem_.taps() * piece_ * width_; }

  // Fills a piece of `panel`, which lies at `to` and `bin_step` floats further for each next bin.
  void fill(const Panel& panel, std::int64_t piece, View<const float> w, float* gathered, float* to,
            std::int64_t bin_step, bool vectors) const;

 private:
  ConvProblem problem_;
  std::int64_t length_, per_group_, width_, piece_;
};

}  // namespace convlens::fft
