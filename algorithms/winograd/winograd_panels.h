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

  // Panels are numbered g·⌈C_o/G/width⌉ + b. What one of them makes: `outputs` channels from `first_output` on, of
  // which there are at most width(), from those of group g.
  struct Panel {
    std::int64_t g, b, first_output, outputs;
  };
  std::int64_t count() const { return groups_ * per_group_; }
  std::int64_t width() const { return width_; }
  Panel at(std::int64_t number) const;

  // P as a stage, "panels", made from the stage `u`; what is beyond C_o is alignment padding.
  Stage stage(const ConvProblem& problem, const std::shared_ptr<const Nested>& nested, Operand u) const;

  // A panel is filled piece by piece, each some of its channels c.
  std::int64_t pieces() const { return (channels_ + piece_ - 1) / piece_; }

  // Fills a piece of `panel`, which lies at `to` and `point_step` floats further for each next point (ξ, ν).
  void fill(const Panel& panel, std::int64_t piece, const VectorSandwich& transform, View<const float> w, float* to,
            std::int64_t point_step, bool vectors) const;

 private:
  static constexpr std::int64_t kGathered = 16 * 1024;  // floats of a piece's filters: they stay in the L2 cache

  std::int64_t points_h_, points_w_, groups_, per_group_, channels_, outputs_, taps_, width_, piece_;
};

}  // namespace convlens
