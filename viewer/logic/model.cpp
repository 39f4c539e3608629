#include "viewer/logic/model.h"

#include <algorithm>
#include <map>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "viewer/logic/coefficients.h"
#include "viewer/logic/spectra.h"

namespace convlens::viewer {

namespace {

std::vector<Axis> tensor_axes(const Shape& shape, const Strides& strides,
                              const std::array<std::pair<const char*, const char*>, 4>& names) {
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < 4; ++axis)
    axes.push_back({names[axis].first, names[axis].second, shape[axis], shape[axis], strides[axis]});
  return axes;
}

// Whether cells are elements of x as they are; padding says nothing, so a cell in the middle is asked too.
bool copies_input(const Stage& stage) {
  if (stage.made_from != std::vector{kInput} || holds_spectra(stage)) return false;
  Coord middle{};
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) middle[axis] = stage.axes[axis].extent / 2;
  return stage.cells() > 0 && stage.map->source(middle).kind == SourceKind::element;
}

ChosenRow choose(const Run& run, const State& state, const ConvProblem& problem) {
  ChosenRow row{run.algorithm,
                run_name(*run.algorithm, run.options),
                complete(*run.algorithm, {problem, state.dtype, state.layouts, run.options}),
                {},
                nullptr};
  row.support = run.algorithm->supports(row.request);
  if (row.support) row.plan = run.algorithm->plan(row.request);
  if (row.plan) row.output = output_map(*row.plan);
  return row;
}

// Stages of several rows that have one title are told apart by their rows, and runs of one row by their options.
void tell_apart(std::vector<Exhibit>& exhibits, const std::vector<ChosenRow>& rows) {
  std::map<std::string, int> titles, ids;
  for (const Exhibit& exhibit : exhibits) ++titles[exhibit.title];
  for (const ChosenRow& row : rows) ++ids[row.algorithm->id];
  for (Exhibit& exhibit : exhibits) {
    if (titles[exhibit.title] == 1 || exhibit.role != Role::stage) continue;
    const ChosenRow& row = rows[static_cast<std::size_t>(exhibit.row)];
    exhibit.title += " of " + (ids[row.algorithm->id] > 1 ? row.run : row.algorithm->id);
  }
}

}  // namespace

std::int64_t Exhibit::cells() const {
  std::int64_t cells = 1;
  for (const Axis& axis : axes) cells *= axis.extent;
  return cells;
}

Model::Model(const State& state) : dtype_(state.dtype) {
  try {
    broken_ = broken_rules(state.spec);
    if (!broken_.empty()) return;
    problem_.emplace(state.spec);
  } catch (const Unsupported& error) {
    overflow_ = error.what();
    return;
  }
  for (const std::string& name : state.runs) {
    try {
      rows_.push_back(choose(parse_run(name), state, *problem_));
    } catch (const BadInput&) {
      unknown_runs_.push_back(name);
    }
  }
  add_exhibits(state);
}

void Model::add_exhibits(const State& state) {
  const ConvProblem& p = *problem_;
  const std::int64_t size = size_of(state.dtype);
  exhibits_.push_back({.id = "x",
                       .title = "input x",
                       .role = Role::input,
                       .axes = tensor_axes(p.x_shape(), dense_strides(state.layouts.x, p.x_shape()),
                                           {{{"n", "N"}, {"c", "C_i"}, {"h", "H_i"}, {"w", "W_i"}}}),
                       .bytes = elements(p.x_shape()) * size});
  exhibits_.push_back({.id = "w",
                       .title = "filter w",
                       .role = Role::filter,
                       .axes = tensor_axes(p.w_shape(), dense_strides(state.layouts.w, p.w_shape()),
                                           {{{"o", "C_o"}, {"c", "C_i"}, {"u", "H_f"}, {"v", "W_f"}}}),
                       .bytes = elements(p.w_shape()) * size});
  if (p.groups() > 1)
    exhibits_.push_back({.id = "w_blocks",
                         .title = "filter w, all channels",
                         .role = Role::blocks,
                         .axes = {{"o", "C_o", p.co(), p.co(), 0},
                                  {"c", "C_i", p.ci(), p.ci(), 0},
                                  {"u", "H_f", p.hf(), p.hf(), 0},
                                  {"v", "W_f", p.wf(), p.wf(), 0}},
                         .stored = false,
                         .bytes = elements(p.w_shape()) * p.groups() * size});
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (!rows_[r].plan) continue;
    const auto stages = rows_[r].plan->stages();
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (stages[s].map == nullptr || stages[s].id == "input") continue;  // a vendor's, or x itself
      exhibits_.push_back({.id = rows_[r].run + "/" + stages[s].id,
                           .title = stages[s].title,
                           .role = Role::stage,
                           .row = static_cast<int>(r),
                           .stage = static_cast<int>(s),
                           .axes = stages[s].axes,
                           .complex = stages[s].complex || holds_entries(stages[s]),
                           .stored = stages[s].stored,
                           .made_of_elements = copies_input(stages[s]),
                           .bytes = stages[s].cells() * stages[s].cell_bytes(),
                           .fold = fold_of(*rows_[r].plan, stages[s])});
    }
  }
  exhibits_.push_back({.id = "y",
                       .title = "output y",
                       .role = Role::output,
                       .axes = tensor_axes(p.y_shape(), dense_strides(state.layouts.y, p.y_shape()),
                                           {{{"n", "N"}, {"o", "C_o"}, {"p", "H_o"}, {"q", "W_o"}}}),
                       .bytes = elements(p.y_shape()) * size});
  tell_apart(exhibits_, rows_);
  for (Exhibit& exhibit : exhibits_) exhibit.effort = effort_of(*this, exhibit);
}

const Exhibit* Model::find(const std::string& id) const {
  const auto found = std::ranges::find(exhibits_, id, &Exhibit::id);
  return found == exhibits_.end() ? nullptr : &*found;
}

std::optional<Coord> Model::element_of_block(const Coord& at) const {
  const std::int64_t channel = at[1] - problem_->group_of_output(at[0]) * problem_->ci_per_group();
  if (channel < 0 || channel >= problem_->ci_per_group()) return std::nullopt;
  return Coord{at[0], channel, at[2], at[3]};
}

const Stage& Model::stage(const Exhibit& exhibit) const {
  return rows_[static_cast<std::size_t>(exhibit.row)].plan->stages()[static_cast<std::size_t>(exhibit.stage)];
}

Cursor Model::valid(const Cursor& cursor) const {
  const Exhibit* exhibit = find(cursor.tensor);
  Cursor valid{exhibit == nullptr ? "y" : cursor.tensor, cursor.at};
  if (exhibit == nullptr) exhibit = find("y");
  if (exhibit == nullptr) return valid;
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
    const std::int64_t extent = axis < exhibit->axes.size() ? exhibit->axes[axis].extent : 1;
    valid.at[axis] = std::clamp<std::int64_t>(valid.at[axis], 0, std::max<std::int64_t>(0, extent - 1));
  }
  return valid;
}

std::string Model::wrong_cursor(const Cursor& cursor) const {
  if (!problem_ || valid(cursor) == cursor) return "";
  const Exhibit* exhibit = find(cursor.tensor);
  if (exhibit == nullptr) return "cursor.tensor: " + cursor.tensor + ", must be x, w, y, or a chosen row and its stage";
  if (exhibit->cells() == 0) return "";
  std::string at, extents;
  const std::size_t rank = exhibit->axes.size();
  for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
    if (axis >= rank && cursor.at[axis] == 0) continue;
    at += (axis > 0 ? ", " : "") + std::to_string(cursor.at[axis]);
    if (axis < rank) extents += (axis > 0 ? ", " : "") + std::to_string(exhibit->axes[axis].extent);
  }
  return "cursor.at: (" + at + "), must be from 0 to below (" + extents + ") in " + cursor.tensor;
}

}  // namespace convlens::viewer
