#include "algorithms/interface/stage.h"

#include <numeric>

#include "algorithms/problem/checked.h"

namespace convlens {

void Stage::lay_out(const std::vector<int>& order) {
  std::int64_t step = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    axes[static_cast<std::size_t>(*axis)].stride = step;
    step = checked::product(("cells of stage " + id).c_str(), {step, axes[static_cast<std::size_t>(*axis)].resident});
    if (step == 0) step = 1;
  }
  checked::product(("bytes of stage " + id).c_str(), {step, cell_bytes()});
}

void Stage::lay_out() {
  std::vector<int> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  lay_out(order);
}

std::int64_t Stage::cells() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product = checked::product(("cells of stage " + id).c_str(), {product, axis.extent});
  return product;
}

std::int64_t Stage::resident_cells() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.resident;
  return product;
}

std::int64_t Stage::passes() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.resident == 0 ? 0 : (axis.extent + axis.resident - 1) / axis.resident;
  return product;
}

std::int64_t Stage::offset(const Coord& cell) const {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].resident > 0)
      sum += cell[axis] % axes[axis].resident * axes[axis].stride;  // an empty axis has no cells
  return sum;
}

namespace {
std::string factors(const Stage& stage, bool numbers) {
  std::string text;
  for (const Axis& axis : stage.axes) {
    const bool whole = axis.resident == axis.extent;
    const std::string factor = numbers || !whole ? std::to_string(axis.resident) : axis.symbol;
    text += (text.empty() ? "" : "·") + factor;
  }
  if (stage.copies > 1) text = std::to_string(stage.copies) + " threads × " + text;
  return text + " × " + std::to_string(stage.cell_bytes()) + " B";
}
}  // namespace

std::string Stage::formula() const { return factors(*this, false); }
std::string Stage::numbers() const { return factors(*this, true); }

}  // namespace convlens
