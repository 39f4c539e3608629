// --state FILE: what a state of the viewer names, for what the command line leaves out.
//
// One rule for every command: the command line has the last word, part by part of a layer even. A command that works on
// several rows takes all that were chosen in the state. One that works on a single row takes the state's where there is
// exactly one that it can use, for this layer in this type even, and asks for a name among them where there are more.
//
// The file is read by the viewer's own reader, so that it is right or wrong for every command alike; what a command
// does not use of it is not looked at further. Its .cpp alone includes the viewer's logic: commands see plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/request.h"
#include "cli/options.h"

namespace convlens {
struct Algorithm;
struct Run;
}  // namespace convlens

namespace convlens::viewer {
struct State;
}

namespace convlens::cli {

struct Layer;

// What a command does with its one row.
enum class OneRow : std::uint8_t {
  explained,
  measured,    // as the Performance panel does: the row that this was told to show is one of the state's
  with_kernel  // on a GPU and of its own, as the Kernel panel shows it, whose row is one of the state's too
};

class NamedByState {
 public:
  explicit NamedByState(const viewer::State& state);

  DType dtype() const;
  Layouts layouts() const;
  std::uint64_t seed() const;
  std::string picture() const;  // a file, "" for the one that ships, or "random"
  std::string timed() const;    // of the Performance panel: call, kernel or cold

  // Each throws BadInput, in the line that `convlens view` has, for a layer or a run that there is not.
  Layer layer() const;
  std::vector<std::string> chosen_runs() const;

  // The state's one row that can be used so and that `takes`, which is the device's word, accepts; of several the only
  // one that `computes` the layer in its type and layouts. Without, or with more, it throws BadInput in a line on
  // `parameter`, by which a row is named, and on the rows that there are.
  std::string one_run(OneRow use, const std::string& parameter, const std::function<bool(const Algorithm&)>& takes,
                      const std::function<bool(const Run&)>& computes) const;

 private:
  std::vector<std::string> runs_for(OneRow use) const;

  std::shared_ptr<const viewer::State> state_;
};

// The state in a file, or with "-" on standard input. Throws BadInput for what is no state, as for every command, and
// Finished when Ctrl-C ends the wait for it.
viewer::State read_state_argument(const std::string& file);

class StateArgument {
 public:
  // `names` is what the command takes of a state, for its help: "layer, rows, type, layouts".
  void add_to(Command& command, const std::string& names);

  bool given() const { return !file_.empty(); }
  const std::string& file() const { return file_; }
  std::optional<NamedByState> read() const;  // nothing without --state; throws as read_state_argument does

 private:
  std::string file_;
};

}  // namespace convlens::cli
