#include "cli/window_cells.h"

#include <algorithm>

#include "algorithms/interface/registry.h"

namespace convlens::cli {

namespace {

// The axes of a stage that are longer than one, from slowest to fastest.
std::vector<std::size_t> axes_in_memory_order(const Stage& stage) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis)
    if (stage.axes[axis].extent > 1) order.push_back(axis);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t axis) { return stage.axes[axis].stride; });
  return order;
}

bool told_in_elements(const Stage& stage) {
  if (!stage.stored || stage.complex || stage.map == nullptr || stage.made_from != std::vector<Operand>{kInput})
    return false;
  return stage.map->source({}).kind != SourceKind::region;
}

}  // namespace

WindowGrid window_grid(const Algorithm& row, const Stage& stage, const Coord& output, std::int64_t most_columns) {
  const std::vector<std::size_t> order = axes_in_memory_order(stage);
  WindowGrid grid{&row, stage, 1, 1, {}};
  std::size_t first_column_axis = order.size();
  while (first_column_axis > 0 && grid.columns * stage.axes[order[first_column_axis - 1]].extent <= most_columns)
    grid.columns *= stage.axes[order[--first_column_axis]].extent;
  grid.rows = stage.cells() / grid.columns;

  for (std::int64_t k = 0; k < grid.rows * grid.columns; ++k) {
    Coord at{};
    std::int64_t rest = k;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      at[*axis] = rest % stage.axes[*axis].extent;
      rest /= stage.axes[*axis].extent;
    }
    WindowCell cell;
    for (const Term& term : stage.map->source(at).terms) cell.elements.push_back(term.at.first);
    cell.used = std::ranges::any_of(stage.map->outputs(at), [&](const Box& box) { return box.contains(output); });
    grid.cells.push_back(std::move(cell));
  }
  return grid;
}

std::vector<WindowGrid> window_grids(const ConvProblem& problem, const Coord& output, std::int64_t most_columns) {
  std::vector<WindowGrid> grids;
  for (const Algorithm* row : algorithms()) {
    if (&find_algorithm(row->family) != row) continue;  // a family's other rows hold the same windows
    const Request request{problem};
    if (!row->supports(request)) continue;
    const std::shared_ptr<const Plan> plan = row->plan(request);
    for (const Stage& stage : plan->stages())
      if (told_in_elements(stage)) grids.push_back(window_grid(*row, stage, output, most_columns));
  }
  return grids;
}

}  // namespace convlens::cli
