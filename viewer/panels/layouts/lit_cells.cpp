// What is lit, as rows of a table: a cell a row, with its value, how it belongs to the cursor's cell, and the exact
// coefficient between the two where there is one. Of tensors with very many lit cells, or costly ones, a row is a box
// of cells instead, and has no value: the column "cells" says how many they are.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "viewer/logic/coefficients.h"
#include "viewer/logic/default_sheet.h"
#include "viewer/logic/each_cell.h"
#include "viewer/panels/layouts/layouts.h"

namespace convlens::viewer {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostCells = 1 << 14;  // of one tensor, a row each

// `box` without the cells of `taken`, as boxes.
void subtract(Box box, const Box& taken, std::vector<Box>& left) {
  const auto end = [](const Box& b, std::size_t axis) { return b.first[axis] + b.extent[axis]; };
  for (std::size_t axis = 0; axis < kMaxRank; ++axis)
    if (end(box, axis) <= taken.first[axis] || end(taken, axis) <= box.first[axis]) return left.push_back(box);
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
    const std::int64_t first = std::max(box.first[axis], taken.first[axis]);
    const std::int64_t last = std::min(end(box, axis), end(taken, axis));
    Box before = box, after = box;
    before.extent[axis] = first - box.first[axis];
    after.first[axis] = last, after.extent[axis] = end(box, axis) - last;
    for (const Box& part : {before, after})
      if (part.extent[axis] > 0) left.push_back(part);
    box.first[axis] = first, box.extent[axis] = last - first;
  }
}

// The boxes of each way to belong to the cursor's cell, none with a cell of another.
std::vector<std::pair<Tie, Box>> tied(const Links& links, const std::string& id) {
  const auto lit = links.cells.find(id);
  if (lit == links.cells.end() || lit->second.empty()) return {};
  const Tie tie = links.ties.at(id);
  std::vector<std::pair<Tie, Box>> all;
  const auto used = links.used.find(id);
  const std::vector<Box>& own = used == links.used.end() ? lit->second : used->second;
  for (const Box& box : own) all.emplace_back(tie, box);
  if (used == links.used.end()) return all;
  std::vector<Box> others = lit->second;
  for (const Box& taken : own) {
    std::vector<Box> left;
    for (const Box& box : others) subtract(box, taken, left);
    others = std::move(left);
  }
  for (const Box& box : others) all.emplace_back(Tie::elsewhere, box);
  return all;
}

Json row_of(const Exhibit& exhibit, Tie tie, const Box& box) {
  Json row{{"tensor", exhibit.id}, {"role", name(tie)}, {"cells", box.size()}};
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) {
    row[exhibit.axes[axis].name] = box.first[axis];
    row[exhibit.axes[axis].name + "_count"] = box.extent[axis];
  }
  return row;
}

// Whether every lit cell can have its value in a row of its own.
bool can_list(const Exhibit& exhibit, const std::vector<std::pair<Tie, Box>>& boxes) {
  double cells = 0;
  for (const auto& [tie, box] : boxes) cells += static_cast<double>(box.size());
  if (boxes.empty() || cells > kMostCells) return false;
  const Sheet sheet = default_sheet(exhibit, boxes.front().second.first);
  return too_much(exhibit.effort).empty() && grain_of(exhibit.effort, cells, tiles_under(exhibit, sheet, cells)) == 1;
}

}  // namespace

Json lit_cells(const Scene& scene, const Exhibit& exhibit) {
  Json rows = Json::array();
  const std::vector<std::pair<Tie, Box>> boxes = tied(scene.links, exhibit.id);
  const Cursor cursor = scene.model().valid(scene.state.cursor);
  const bool each = can_list(exhibit, boxes);
  std::set<Coord> written;
  for (const auto& [tie, box] : boxes) {
    if (!each) {
      rows.push_back(row_of(exhibit, tie, box));
      continue;
    }
    for_each_cell(box, [&, tie = tie](const Coord& at) {
      if (!written.insert(at).second) return;
      Json row = row_of(exhibit, tie, Box::cell(at));
      const std::complex<double> value = scene.values->at(exhibit, at);
      row["value"] = value.real();
      if (exhibit.complex) row["imaginary"] = value.imag();
      if (const auto factor = coefficient(scene.model(), cursor, exhibit, at, tie)) row["coefficient"] = factor->text();
      rows.push_back(std::move(row));
    });
  }
  return rows;
}

Json lit_cells(const Scene& scene) {
  Json rows = Json::array();
  for (const Exhibit& exhibit : scene.model().exhibits())
    for (Json& row : lit_cells(scene, exhibit)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace convlens::viewer
