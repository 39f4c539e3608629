// --state FILE: what a state of the viewer names, for what the command line leaves out.
//
// The file is read by the viewer's own reader, so that it is right or wrong for every command alike; what a command
// does not use of it is not looked at further. Its .cpp alone includes the viewer's logic: commands see plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/request.h"
#include "cli/options.h"

namespace convlens::viewer {
struct State;
}

namespace convlens::cli {

struct Layer;

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
  std::vector<std::string> run_pointed_at() const;   // of the chosen ones that whose stage the cursor is on, or all
  std::vector<std::string> run_measured() const;     // by the Performance panel
  std::vector<std::string> run_with_kernel() const;  // that the Kernel panel shows; none where it shows none

 private:
  std::shared_ptr<const viewer::State> state_;
};

class StateArgument {
 public:
  // `names` is what the command takes of a state, for its help: "layer, rows, type, layouts".
  void add_to(Command& command, const std::string& names);

  // Nothing without --state. Throws BadInput for a file that is no state, as `convlens view` does.
  std::optional<NamedByState> read() const;

 private:
  std::string file_;
};

}  // namespace convlens::cli
