// The transformed filter U packed for the micro-kernel (simd/tile.h): a panel for each point, group and set of outputs.
//
//   P(ξ, ν, g, b, c, j) = U(ξ, ν, o = g·C_o/G + b·width + j, c)      j < width, zero where o is beyond the group
//
// U itself is never stored: the filters of a panel are transformed side by side, an output channel a lane.
#pragma once

#include "algorithms/interface/stage.h"
#include "algorithms/tensor/view.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/vector_sandwich.h"

namespace convlens {

class WinogradPanels {
 public:
  WinogradPanels(const ConvProblem& problem, const Nested& nested);

  std::int64_t width() const { return width_; }
  std::int64_t per_group() const { return per_group_; }

  // Where the panel of a point begins, of length C_i/G times width(). Points are numbered ξ·n_w + ν.
  std::int64_t offset(std::int64_t point, std::int64_t g, std::int64_t b) const {
    return ((point * groups_ + g) * per_group_ + b) * channels_ * width_;
  }

  // P as a stage, "panels", made from the stage `u`; what is beyond C_o is alignment padding.
  Stage stage(const ConvProblem& problem, const std::shared_ptr<const Nested>& nested, Operand u) const;

  // Fills all panels; `simd` says whether with vectors.
  void fill(const ConvProblem& problem, const VectorSandwich& transform, View<const float> w, float* panels, bool simd,
            int threads) const;

 private:
  std::int64_t points_h_, points_w_, groups_, per_group_, channels_, width_;
};

}  // namespace convlens
