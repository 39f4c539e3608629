// The filter packed into panels, the right operand of the micro-kernel (tile.h).
//
//   panel(g, b)[k][j] = w(o = g·C_o/G + b·width + j, k)      j < width, zero where o is beyond the group
//
// k runs over the window's values in the order of the left operand: (u, v, c) for pictures in NHWC read in place,
// (v, u, c) for im2win windows, (c, u, v) for im2col rows.
#pragma once

#include <array>

#include "algorithms/interface/plan.h"
#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/view.h"

namespace convlens::simd {

// The order of k from slowest to fastest, as axes of (o, c, u, v).
using ReductionOrder = std::array<int, 3>;
inline constexpr ReductionOrder kRowTapChannel{2, 3, 1};
inline constexpr ReductionOrder kTapRowChannel{3, 2, 1};
inline constexpr ReductionOrder kChannelRowTap{1, 2, 3};

// Some filters side by side, as a row that transforms them needs them: to[tap][c][j] = w(first_o + j, first_c + c, tap)
// for j < width, zero where j ≥ outputs; taps in the order (u, v).
void gather_filters(View<const float> w, std::int64_t first_o, std::int64_t outputs, std::int64_t width,
                    std::int64_t first_c, std::int64_t channels, float* to);

class Panels {
 public:
  explicit Panels(const ConvProblem& problem);

  std::int64_t width() const { return width_; }
  std::int64_t per_group() const { return per_group_; }

  // Where panel b of group g begins in the packed filter, and where its bias, behind all panels.
  std::int64_t offset(std::int64_t g, std::int64_t b) const { return (g * per_group_ + b) * reduction_ * width_; }
  std::int64_t bias_offset(std::int64_t g, std::int64_t b) const {
    return (groups_ * per_group_ * reduction_ + g * per_group_ + b) * width_;
  }

  // The packed filter as a stage, "panels": cells (g, b, k, j); what is beyond C_o is alignment padding.
  Stage stage(const ConvProblem& problem, const ReductionOrder& order) const;

  // The bytes of the packed bias, which lies directly behind the stage's.
  Buffer bias_buffer() const { return {"panel_bias", groups_ * per_group_ * width_ * size_of(DType::f32)}; }

  void pack(const ConvProblem& problem, View<const float> w, Bias<float> bias, const ReductionOrder& order, float* out,
            int threads) const;

 private:
  std::int64_t groups_, per_group_, reduction_, width_;
};

}  // namespace convlens::simd
