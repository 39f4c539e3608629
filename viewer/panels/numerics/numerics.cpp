#include "viewer/panels/numerics/numerics.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "viewer/panels/panels.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

using Shared = std::shared_ptr<const Numerics>;

// What is computed once and kept.
struct Laboratory {
  std::shared_ptr<Materials> materials = std::make_shared<Materials>();
  std::map<std::string, Later<Shared>> cells;
};

// What the numbers of a cell depend on, beside its row and type.
std::string settings_key(const State& state, const ConvProblem& problem, DType dtype) {
  return Materials::key(problem, dtype, state.seed, state.numerics) + "|" + std::string(name(state.layouts.x)) +
         std::string(name(state.layouts.w)) + std::string(name(state.layouts.y));
}

// The run and type in front: the state's, or the first run that says yes, so that there is something to see.
void choose_front(const State& state, const Model& model, NumericsTable& table) {
  table.dtype = static_cast<std::size_t>(std::ranges::find(kDTypes, state.numerics.dtype.value_or(state.dtype)) -
                                         kDTypes.begin());
  const auto named = std::ranges::find(table.runs, state.numerics.run);
  if (named != table.runs.end()) {
    table.run = static_cast<std::size_t>(named - table.runs.begin());
    return;
  }
  for (std::size_t k = 0; k < model.rows().size(); ++k)
    if (model.rows()[k].algorithm->unit == Unit::cpu && model.rows()[k].support) {
      table.run = k;
      return;
    }
}

NumericsTable empty_table(const State& state, const Model& model) {
  NumericsTable table{specimen_of(*model.problem()), {}, {}};
  for (const ChosenRow& row : model.rows()) table.runs.push_back(row.run);
  table.cells.assign(table.runs.size(), std::vector<Shared>(kDTypes.size()));
  choose_front(state, model, table);
  return table;
}

NumericsTable table_of(Scene& scene) {
  NumericsTable table = empty_table(scene.state, scene.model());
  if (!table.specimen.refused.empty()) return table;
  auto& laboratory = scene.kept.get<Laboratory>("numerics");
  const auto ask = [&](std::size_t run, std::size_t dtype) {
    const std::string name = table.runs[run];
    const DType type = kDTypes[dtype];
    const Shared* cell = laboratory.cells[name + "|" + std::to_string(dtype)].get(
        settings_key(scene.state, table.specimen.problem, type), scene.painter,
        [name, type, problem = table.specimen.problem, state = scene.state, materials = laboratory.materials] {
          return std::make_shared<const Numerics>(
              numerics_of(name, problem, type, state.layouts, state.seed, state.numerics, *materials));
        });
    // Until there are new ones, numbers of other settings stand, but not those of another layer.
    if (cell != nullptr && (*cell)->spec == table.specimen.problem.spec()) table.cells[run][dtype] = *cell;
  };
  // What is asked for last is done first: the cell in front, then those from the top.
  for (std::size_t run = table.runs.size(); run-- > 0;)
    for (std::size_t dtype = kDTypes.size(); dtype-- > 0;) ask(run, dtype);
  if (!table.runs.empty()) ask(table.run, table.dtype);
  return table;
}

void draw_pictures(Scene& scene, const NumericsTable& table) {
  const ImVec2 gap = ImGui::GetStyle().ItemSpacing;
  const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeightWithSpacing();
  const bool beside = width > 40 * line;
  const float each = beside ? std::floor((width - gap.x) / 2) : width;
  const ImVec2 size{each, std::floor(std::min(each, 17 * line))};
  draw_error_map(scene, table, size);
  if (beside) ImGui::SameLine();
  draw_error_histogram(scene, table, size);
  // What belongs to the cell in front, and to Winograd's rows.
  if (beside && ImGui::BeginTable("below", 2, ImGuiTableFlags_SizingStretchSame)) {
    ImGui::TableNextColumn();
    draw_element(scene, table);
    ImGui::TableNextColumn();
    draw_points(scene, table);
    ImGui::EndTable();
  } else if (!beside) {
    draw_element(scene, table);
    draw_points(scene, table);
  }
}

void draw(Scene& scene) {
  ImGui::BeginChild("numerics");
  const NumericsTable table = table_of(scene);
  if (table.specimen.refused.empty()) {
    draw_numerics_controls(scene, table);
    faint_text(table.specimen.sentence);
  }
  if (!table.specimen.refused.empty())
    faint_text(table.specimen.refused);
  else if (table.runs.empty())
    faint_text("No algorithm is chosen: they are on the left.");
  else if (table.specimen.problem.n() == 0)
    faint_text("N is 0: there is nothing to compute.");
  else {
    draw_verdicts(scene, table);
    draw_pictures(scene, table);
  }
  ImGui::EndChild();
}

const char* spread_name(Spread spread) {
  return spread == Spread::exact ? "exact" : spread == Spread::tile ? "tile" : "image";
}

nlohmann::ordered_json row_of(const Numerics& cell) {
  nlohmann::ordered_json row{{"run", cell.run}, {"dtype", name(cell.dtype)}, {"refused", cell.refused}};
  for (const Verdict& verdict : cell.verdicts) {
    row[verdict.promise + "_made"] = verdict.made;
    row[verdict.promise + "_kept"] = verdict.kept;
    row[verdict.promise + "_ratio"] = verdict.ratio;
  }
  if (!cell.computed()) return row;
  const Histogram histogram = histogram_of(cell);
  row["outputs"] = cell.error.size();
  row["outputs_without_error"] = histogram.zero;
  row["outputs_not_finite"] = histogram.infinite;
  row["inputs_too_large"] = cell.material->overflowed;
  row["inputs_vanished"] = cell.material->vanished;
  row["note"] = cell.material->note;
  row["largest_error"] = cell.error[cell.worst];
  row["largest_bound"] = cell.bound;
  row["declared_spread"] = spread_name(cell.declared);
  if (cell.reach) {
    row["readers"] = cell.reach->readers;
    row["spoilt_beyond"] = cell.reach->beyond;
    row["seen_spread"] = spread_name(cell.reach->seen);
  }
  return row;
}

nlohmann::ordered_json data(const Scene& scene) {
  const NumericsTable table = empty_table(scene.state, scene.model());
  if (!table.specimen.refused.empty()) throw Unsupported("export: numerics: " + table.specimen.refused);
  Materials materials;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& run : table.runs)
    for (const DType dtype : kDTypes)
      if (!scene.interrupted())
        rows.push_back(row_of(numerics_of(run, table.specimen.problem, dtype, scene.state.layouts, scene.state.seed,
                                          scene.state.numerics, materials)));
  return rows;
}

}  // namespace

std::int64_t shown_channel(const State& state, const NumericsTable& table) {
  return std::clamp<std::int64_t>(state.numerics.channel, 0,
                                  std::max<std::int64_t>(0, table.specimen.problem.co() - 1));
}

Shape shown_element(const State& state, const NumericsTable& table) {
  const Shape y = table.specimen.problem.y_shape();
  Shape at = output_at(table.front()->worst, y);
  if (state.numerics.element.size() == 4)
    for (std::size_t axis = 0; axis < 4; ++axis)
      at[axis] = std::clamp<std::int64_t>(state.numerics.element[axis], 0, y[axis] - 1);
  return at;
}

Panel numerics_panel() {
  return {"numerics", "Numerics", "What rounding, scale, NaN and Inf do in each algorithm and type", draw, data};
}

}  // namespace convlens::viewer
