#include "viewer/logic/default_sheet.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace convlens::viewer {

namespace {

using Names = std::initializer_list<std::string_view>;

// The axes of those names, in that order; empty when one is missing.
std::vector<int> axes_named(const Exhibit& exhibit, Names names) {
  std::vector<int> found;
  for (const std::string_view name : names) {
    const auto axis = std::ranges::find(exhibit.axes, name, &Axis::name);
    if (axis == exhibit.axes.end()) return {};
    found.push_back(static_cast<int>(axis - exhibit.axes.begin()));
  }
  return found;
}

// All axes but those and n, from slowest to fastest in memory.
std::vector<int> others(const Exhibit& exhibit, const std::vector<int>& taken) {
  std::vector<int> rest;
  for (int axis = 0; axis < static_cast<int>(exhibit.axes.size()); ++axis)
    if (std::ranges::find(taken, axis) == taken.end() && exhibit.axes[static_cast<std::size_t>(axis)].name != "n")
      rest.push_back(axis);
  std::ranges::stable_sort(rest, std::ranges::greater{},
                           [&](int axis) { return exhibit.axes[static_cast<std::size_t>(axis)].stride; });
  return rest;
}

// The sides' ratio, at least 1.
double elongation(const Sheet& sheet) {
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, sheet.rows()));
  const auto columns = static_cast<double>(std::max<std::int64_t>(1, sheet.columns()));
  return std::max(rows / columns, columns / rows);
}

// Leaves out all but the fastest of the axes that run down where the rows are so many that nothing would be seen of
// the columns: of an im2col matrix then those of one row of outputs.
std::vector<int> seen(const Exhibit& exhibit, std::vector<int> down, const std::vector<int>& across,
                      const Coord& slice) {
  constexpr double kTooLong = 2000;
  const Sheet whole(exhibit.axes, down, across, slice, exhibit.fold);
  if (elongation(whole) > kTooLong && whole.rows() > whole.columns()) down.erase(down.begin(), down.end() - 1);
  return down;
}

// Leaves the channels out of the columns where the sheet is too long to be seen with them.
Sheet with_few_channels(const Exhibit& exhibit, const std::vector<int>& down, const std::vector<int>& across,
                        const Coord& slice) {
  constexpr double kTooLong = 8;
  Sheet whole(exhibit.axes, down, across, slice, exhibit.fold);
  std::vector<int> fewer = across;
  std::erase_if(fewer, [&](int axis) { return exhibit.axes[static_cast<std::size_t>(axis)].name == "c"; });
  if (fewer.empty() || fewer.size() == across.size()) return whole;
  Sheet one(exhibit.axes, down, fewer, slice, exhibit.fold);
  return elongation(whole) > kTooLong && 2 * elongation(one) < elongation(whole) ? one : whole;
}

}  // namespace

Sheet default_sheet(const Exhibit& exhibit, const Coord& slice) {
  if (exhibit.role == Role::blocks)
    return Sheet(exhibit.axes, axes_named(exhibit, {"o"}), axes_named(exhibit, {"c", "u", "v"}), slice);
  std::vector<int> down, across;
  const auto choose = [&](Names rows, Names columns) {
    if (!down.empty()) return;
    down = axes_named(exhibit, rows);
    across = columns.size() > 0 ? axes_named(exhibit, columns) : others(exhibit, down);
    if (down.empty() || across.empty()) down.clear(), across.clear();
  };
  if (exhibit.role == Role::filter) choose({"u"}, {"v"});
  if (exhibit.role == Role::output) choose({"p"}, {"q"});
  choose({"h"}, {"w"});
  choose({"t", "ξ"}, {"s", "ν"});
  choose({"ξ"}, {"ν"});
  choose({"i", "k"}, {"j", "l"});
  choose({"k"}, {"l"});
  choose({"i", "b"}, {"j", "b"});
  choose({"b"}, {"b"});
  choose({"p", "q"}, {});
  choose({"m"}, {});
  choose({"q"}, {});
  choose({"o"}, {});
  if (down.empty()) {
    const std::vector<int> all = others(exhibit, {});
    const auto half = all.begin() + static_cast<std::ptrdiff_t>((all.size() + 1) / 2);
    down.assign(all.begin(), half);
    across.assign(half, all.end());
  }
  return with_few_channels(exhibit, seen(exhibit, down, across, slice), across, slice);
}

}  // namespace convlens::viewer
