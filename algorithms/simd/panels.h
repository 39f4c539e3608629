// The filter packed into panels, the right operand of the micro-kernel (tile.h).
//
//   panel(g, b)[k][j] = w(o = g·C_o/G + b·width + j, k)      j < width, zero where o is beyond the group
//
// A depthwise layer, one input and one output channel a group, would leave all but one lane of such a panel empty. Its
// panels take neighbouring groups side by side instead, as if they were one: j runs over groups, k over taps.
//
// k runs over the window's values in the order of the left operand: (u, v, c) for pictures in NHWC read in place,
// (v, u, c) for im2win windows. A loop nest that takes a few channels of all taps at a time has k in pieces, one after
// the other: k = piece·K/pieces + k', and k' in the same order over the channels of the piece.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

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

// Where one value of every filter lies: the same for all filters of w, counted from the filter's first value.
struct FilterValue {
  std::int64_t offset = 0, k = 0;
};

// to[values[i].k − first_k][j] = filters[j·step + values[i].offset] for j < channels, zero for channels ≤ j < width.
struct PackedRows {
  const float* filters = nullptr;
  std::int64_t step = 0, channels = 0;
  std::span<const FilterValue> values;
  std::int64_t first_k = 0, width = 0;
  float* to = nullptr;
};
void pack_rows(const PackedRows& rows);

class Panels {
 public:
  // `depthwise` asks for the second form; `pieces` must divide C_i/G.
  Panels(const ConvProblem& problem, const ReductionOrder& order, bool depthwise = false, std::int64_t pieces = 1);

  bool depthwise() const { return depthwise_; }
  std::int64_t groups() const { return groups_; }
  std::int64_t width() const { return width_; }
  std::int64_t per_group() const { return per_group_; }
  std::int64_t pieces() const { return pieces_; }
  std::int64_t piece_reduction() const { return reduction_ / pieces_; }

  // As many panels of a piece as a row that packs when it needs them packs at a time: all of a group that fit into L1
  // along with a tile's windows, or one.
  std::int64_t at_a_time() const;

  // Output channels of panel b: the first, and how many.
  std::int64_t first_channel(std::int64_t g, std::int64_t b) const { return g * channels_ + b * width_; }
  std::int64_t channels(std::int64_t b) const { return std::min(width_, channels_ - b * width_); }

  // Where a piece of panel b of group g begins in the packed filter, and where its bias begins in the packed bias.
  std::int64_t offset(std::int64_t g, std::int64_t b, std::int64_t piece) const {
    return ((g * per_group_ + b) * reduction_ + piece * piece_reduction()) * width_;
  }
  std::int64_t bias_offset(std::int64_t g, std::int64_t b) const { return (g * per_group_ + b) * width_; }

  // What the micro-kernel executes for the problem: two FLOPs a lane, those beyond C_o included.
  std::int64_t executed_flops(const ConvProblem& problem) const;

  // The packed filter as a stage, "panels": cells (g, b, k, j); what is beyond C_o is alignment padding. The whole of
  // it, or what `copies` threads have of it at a time.
  Stage stage(const ConvProblem& problem) const;
  Stage stage_in_pieces(const ConvProblem& problem, int copies) const;

  Buffer bias_buffer() const { return {"panel_bias", groups_ * per_group_ * width_ * size_of(DType::f32)}; }

  // All values of a filter, piece by piece, and within a piece in the order of memory.
  std::vector<FilterValue> values(View<const float> w) const;

  // `values` are those of w. Packs everything; or a piece of panel b.
  void pack(View<const float> w, std::span<const FilterValue> values, float* out, int threads) const;
  void pack(View<const float> w, std::span<const FilterValue> values, std::int64_t g, std::int64_t b,
            std::int64_t piece, float* out) const;
  void pack_bias(Bias<float> bias, float* out) const;

 private:
  bool depthwise_;
  ReductionOrder order_;
  std::int64_t groups_, channels_, reduction_, width_, per_group_, pieces_;  // channels_: output channels of a group
};

}  // namespace convlens::simd
