// Random cells and elements, for the tests of the index maps of the spectra.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/interface/stage.h"
#include "tests/fft/fft_support.h"

namespace fft_test {

inline Coord random_cell(Dice& dice, const Stage& stage) {
  Coord cell{};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) cell[axis] = dice(0, stage.axes[axis].extent - 1);
  return cell;
}

// One of the elements that `operand` has: x, w, or one of `stages`.
inline Coord random_element(Dice& dice, Operand operand, const ConvProblem& p, const std::vector<Stage>& stages) {
  if (operand.id >= 0) return random_cell(dice, stages[static_cast<std::size_t>(operand.id)]);
  const Shape shape = operand == kInput ? p.x_shape() : p.w_shape();
  return {dice(0, shape[0] - 1), dice(0, shape[1] - 1), dice(0, shape[2] - 1), dice(0, shape[3] - 1)};
}

inline bool any_contains(const std::vector<Box>& boxes, const Coord& at) {
  return std::ranges::any_of(boxes, [&](const Box& box) { return box.contains(at); });
}

}  // namespace fft_test
