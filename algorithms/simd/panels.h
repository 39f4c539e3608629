// The filter packed into panels, the right operand of the micro-kernel (tile.h).
//
//   panel(g, b)[k][j] = w(o = g·C_o/G + b·width + j, k)      j < width, zero where o is beyond the group
//
// A depthwise layer, one input and one output channel a group, would leave all but one lane of such a panel empty. Its
// panels take neighbouring groups side by side instead, as if they were one: j runs over groups, k over taps.
//
// k runs over the window's values in the order of the left operand: (u, v, c) for pictures in NHWC read in place,
// (v, u, c) for im2win windows, (c, u, v) for im2col rows.
#pragma once

#include <algorithm>
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
// One input and one output channel a group.
bool is_depthwise(const ConvProblem& problem);

class Panels {
 public:
  // `depthwise` asks for the second form.
  explicit Panels(const ConvProblem& problem, bool depthwise = false);

  bool depthwise() const { return depthwise_; }
  std::int64_t groups() const { return groups_; }
  std::int64_t width() const { return width_; }
  std::int64_t per_group() const { return per_group_; }

  // Output channels of panel b: the first, and how many.
  std::int64_t first_channel(std::int64_t g, std::int64_t b) const { return g * channels_ + b * width_; }
  std::int64_t channels(std::int64_t b) const { return std::min(width_, channels_ - b * width_); }

  // Where panel b of group g begins in the packed filter, and where its bias, behind all panels.
  std::int64_t offset(std::int64_t g, std::int64_t b) const { return (g * per_group_ + b) * reduction_ * width_; }
  std::int64_t bias_offset(std::int64_t g, std::int64_t b) const {
    return (groups_ * per_group_ * reduction_ + g * per_group_ + b) * width_;
  }

  // What the micro-kernel executes for the problem: two FLOPs a lane, those beyond C_o included.
  std::int64_t executed_flops(const ConvProblem& problem) const;

  // The packed filter as a stage, "panels": cells (g, b, k, j); what is beyond C_o is alignment padding.
  Stage stage(const ConvProblem& problem, const ReductionOrder& order) const;

  // The bytes of the packed bias, which lies directly behind the stage's.
  Buffer bias_buffer() const { return {"panel_bias", groups_ * per_group_ * width_ * size_of(DType::f32)}; }

  void pack(const ConvProblem& problem, View<const float> w, Bias<float> bias, const ReductionOrder& order, float* out,
            int threads) const;

 private:
  bool depthwise_;
  std::int64_t groups_, channels_, reduction_, width_, per_group_;  // channels_: output channels of a group
};

}  // namespace convlens::simd
