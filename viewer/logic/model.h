// What the state means: the layer, the plans of the chosen rows, and the tensors that can be looked at.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "viewer/logic/effort.h"
#include "viewer/logic/fold.h"
#include "viewer/logic/state.h"

namespace convlens::viewer {

// A row that was chosen, planned for the layer, or the reason why it cannot be.
struct ChosenRow {
  const Algorithm* algorithm = nullptr;
  std::string run;  // "im2win.ref:window=nhwc"
  Request request;  // completed
  Support support;
  std::shared_ptr<const Plan> plan;                // null where support says no
  std::shared_ptr<const AnyMap> output = nullptr;  // how y is an exact sum of a stage's cells; null where it is not one
};

// A tensor on show. A stage is a tensor like the input, the filter and the output.
enum class Role : std::uint8_t {
  input,
  filter,
  blocks,  // of a grouped layer: w between all channels, as one matrix with blocks of zeros
  stage,
  output,
};

struct Exhibit {
  std::string id;     // as in Cursor: "x", "im2win.ref/im2win"
  std::string title;  // "im2win tensor Î"
  Role role = Role::input;
  int row = -1, stage = -1;  // of a stage: which row of the model, which of its stages
  std::vector<Axis> axes;    // extents, names, strides in memory (0 where it is not stored)
  bool complex = false;      // shown by magnitude and phase
  bool stored = true;
  bool made_of_elements = false;  // a copy of x or w, cell by cell
  std::int64_t bytes = 0;         // of the whole tensor, were all of it stored at once
  Fold fold{};                    // of the axis of kept bins
  Effort effort{};                // of looking at it

  std::int64_t cells() const;
};

class Model {
 public:
  // Never throws for a state with an illegal layer: then `problem` is empty and `broken` says what is wrong.
  explicit Model(const State& state);

  const std::optional<ConvProblem>& problem() const { return problem_; }
  DType dtype() const { return dtype_; }  // of x, w and y
  const std::vector<BrokenRule>& broken() const { return broken_; }
  const std::string& overflow() const { return overflow_; }  // the sizes are legal, but too large for 64 bits
  const std::vector<ChosenRow>& rows() const { return rows_; }
  const std::vector<std::string>& unknown_runs() const { return unknown_runs_; }

  // x, w, the stages of every row, y; empty without a problem.
  const std::vector<Exhibit>& exhibits() const { return exhibits_; }
  const Exhibit* find(const std::string& id) const;  // null when there is none
  const Stage& stage(const Exhibit& exhibit) const;  // of an exhibit with Role::stage

  // The element of w that a cell (o, c, u, v) of Role::blocks is, where o and c are of one group; else it is a zero.
  std::optional<Coord> element_of_block(const Coord& at) const;

  // The cursor moved into the tensors that there are, for drawing. What was wrong with it is said beside the picture:
  // "cursor.at: (0, 0, 99, 23), must be below (1, 64, 54, 54) in y", or "".
  Cursor valid(const Cursor& cursor) const;
  std::string wrong_cursor(const Cursor& cursor) const;

 private:
  void add_exhibits(const State& state);

  DType dtype_;
  std::optional<ConvProblem> problem_;
  std::vector<BrokenRule> broken_;
  std::string overflow_;
  std::vector<ChosenRow> rows_;
  std::vector<std::string> unknown_runs_;
  std::vector<Exhibit> exhibits_;
};

}  // namespace convlens::viewer
