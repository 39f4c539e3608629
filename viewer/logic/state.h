// Everything that the viewer shows follows from this state and nothing else. It is plain data: undo is a list of
// states, a session is one JSON file, and `convlens view --state` draws any of them without a window.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/request.h"
#include "algorithms/problem/conv_problem.h"
#include "viewer/logic/kernel_state.h"
#include "viewer/logic/numerics_state.h"
#include "viewer/logic/performance_state.h"

namespace convlens::viewer {

// What the pointer is on: a cell of a tensor that is on show.
struct Cursor {
  std::string tensor = "y";  // "x", "w", "y", or a row and its stage: "im2win.ref/im2win"
  Coord at{};

  bool operator==(const Cursor&) const = default;
};

struct State {
  std::string layer = "cv9";  // a named layer, or "" when the sizes are the user's own
  ConvSpec spec;              // of the named layer, with the batch size chosen here; may break rules while it is edited
  DType dtype = DType::f32;
  Layouts layouts{};  // NCHW, OIHW, NCHW: those of every other command
  std::vector<std::string> runs;
  std::string panel = "layouts";
  std::string arrangement = "grids";  // of the Layouts panel: grids | five | copies | ribbon | schedule
  Cursor cursor;
  std::vector<std::string> hidden;  // tensors that are not drawn
  std::int64_t step = 0;            // of the `five` arrangement: how far each algorithm has come, up to kSteps
  std::int64_t block = 0;           // of the `schedule` arrangement: which of an image's blocks
  std::string order = "launched";   // of the same: one of order_names()
  std::string picture;              // a file, "" for the one that ships, or "random"
  std::uint64_t seed = 1;
  std::int64_t memory_limit = std::int64_t{8} << 30;  // of the Memory panel, in bytes
  PerformanceState performance;
  NumericsState numerics;
  KernelState kernel;
  std::int64_t tour = 0;  // which step of the guided tour is on show; 0: none
  bool dark = true;
  double scale = 0;  // of everything; 0: the monitor's

  bool operator==(const State&) const = default;
};

inline constexpr double kLeastScale = 0.5, kMostScale = 4;

// The state at a first start: a photograph under a 3×3 window, and the first row of each of the five families.
State first_state();

// The names that State::panel, State::arrangement and State::order can have.
const std::vector<std::string>& panel_names();
const std::vector<std::string>& arrangement_names();
const std::vector<std::string>& order_names();  // of blocks: as they are launched, or as it happened on a GPU

nlohmann::ordered_json to_json(const State& state);

// Throws BadInput with one line that names the field, its value and the rule; fields left out keep their first value.
State state_from_json(const nlohmann::ordered_json& json);
State read_state(const std::string& file);

// The state with one field changed: "numerics.exponent=12", a field as the file names it, and its value as there, or a
// text without quotes. Throws as state_from_json does.
State with_field(const State& state, const std::string& assignment);
// Whole or not at all, into a folder that there is. Throws BadInput with the reason.
void write_state(const State& state, const std::string& file);

// The state of the last session. A file that cannot be understood is put aside, never overwritten: `notice` says so in
// one line. Without a file, and then, it is the first state.
struct KeptState {
  State state;
  std::string file;    // where to write it at the end; "" for nowhere
  std::string notice;  // "" when all is well
};
KeptState read_kept_state(const std::string& file);
void write_kept_state(const State& state, const std::string& file);  // its folder is made where there is none

// `to` with what differs between `before` and `after`, field by field: two changes of one state, made as one.
State with_changes(const State& to, const State& before, const State& after);

// Whether they differ in nothing but what the pointer is on.
bool same_but_for_cursor(const State& a, const State& b);

// Undo and redo. Changes that follow each other under one `key` (a slider being dragged) are one step. To point
// elsewhere is none: it takes nothing away that can be redone, and undo and redo leave the cursor where it is, even
// where the layer they bring back has no such cell.
class History {
 public:
  explicit History(State first) : states_{std::move(first)} {}

  const State& now() const { return states_[at_]; }
  void change(State next, const std::string& key = "");
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  void undo();
  void redo();

 private:
  void go_to(std::size_t at);

  std::vector<State> states_;
  std::size_t at_ = 0;
  std::string key_;
};

}  // namespace convlens::viewer
