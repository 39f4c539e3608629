// im2win, and MEC, its dual with H and W exchanged: lowerings that copy along one axis of the image only.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& im2win_ref();
const Algorithm& mec_ref();

// The memory order of a lowered tensor's axes, named after where the channel goes.
enum class WindowOrder : std::uint8_t { NHWC, NCHW };

// The whole tensors as stages, to be stored. Axes (n, c, m, k, u), and (n, c, q, k, v); see im2win_map.h.
Stage im2win_stage(const ConvProblem& problem, DType dtype, WindowOrder order);
Stage mec_stage(const ConvProblem& problem, DType dtype, WindowOrder order);

}  // namespace convlens
