#include "viewer/logic/cells_of_box.h"

#include <algorithm>
#include <optional>

namespace convlens::viewer {

namespace {

// The axis along which `to` lies `distance` cells after `from`, −1 when they are the same, nothing when they differ in
// any other way.
std::optional<int> shift_axis(const Box& from, const Box& to, std::int64_t distance) {
  if (from.extent != to.extent) return std::nullopt;
  int axis = -1;
  for (std::size_t k = 0; k < kMaxRank; ++k) {
    if (from.first[k] == to.first[k]) continue;
    if (axis >= 0 || to.first[k] - from.first[k] != distance || from.extent[k] != 1) return std::nullopt;
    axis = static_cast<int>(k);
  }
  return axis;
}

class Search {
 public:
  Search(const AnyMap& map, Operand from, std::size_t most, bool& complete)
      : map_(map), from_(from), most_(most), complete_(complete) {}

  // The answer for `box`, whose axes before `axis` have one element each.
  std::vector<Box> boxes(const Box& box, std::size_t axis) {
    while (axis < kMaxRank && box.extent[axis] == 1) ++axis;
    if (axis == kMaxRank) return map_.cells(from_, box.first);
    const std::int64_t count = box.extent[axis];
    const auto at = [&](std::int64_t k) {
      Box one = box;
      one.first[axis] += k;
      one.extent[axis] = 1;
      return boxes(one, axis + 1);
    };
    std::vector<Box> first = at(0);
    if (stretch(first, at(1), at(count - 1), count)) return first;
    std::vector<Box> all;
    for (std::int64_t k = 0; k < count && complete_; ++k) {
      const std::vector<Box> more = at(k);
      all.insert(all.end(), more.begin(), more.end());
      if (all.size() > 2 * most_) remove_repetitions(all);
      complete_ = complete_ && all.size() <= most_;
    }
    return all;
  }

 private:
  // Lengthens the boxes of the first element to those of all `count`; false when the answers do not only shift.
  static bool stretch(std::vector<Box>& first, const std::vector<Box>& second, const std::vector<Box>& last,
                      std::int64_t count) {
    if (first.empty() || second.size() != first.size() || last.size() != first.size()) return false;
    std::vector<int> axes;
    for (std::size_t k = 0; k < first.size(); ++k) {
      const std::optional<int> axis = shift_axis(first[k], last[k], count - 1);
      if (!axis || shift_axis(first[k], second[k], 1) != axis) return false;
      axes.push_back(*axis);
    }
    for (std::size_t k = 0; k < first.size(); ++k)
      if (axes[k] >= 0) first[k].extent[static_cast<std::size_t>(axes[k])] = count;
    return true;
  }

  const AnyMap& map_;
  Operand from_;
  std::size_t most_;
  bool& complete_;
};

}  // namespace

void remove_repetitions(std::vector<Box>& boxes) {
  std::ranges::sort(boxes, [](const Box& a, const Box& b) {
    return a.first != b.first ? a.first < b.first : a.extent < b.extent;
  });
  const auto repeated = std::ranges::unique(boxes);
  boxes.erase(repeated.begin(), repeated.end());
}

std::vector<Box> cells_of_box(const AnyMap& map, Operand from, const Box& box, std::size_t most, bool& complete) {
  bool found_all = true;
  std::vector<Box> boxes = Search(map, from, most, found_all).boxes(box, 0);
  remove_repetitions(boxes);
  if (boxes.size() > most) boxes.resize(most), found_all = false;
  complete = complete && found_all;
  return boxes;
}

}  // namespace convlens::viewer
