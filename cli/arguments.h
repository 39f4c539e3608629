// The arguments that commands share, each parsed in one place: layers, algorithms, element types, layouts, the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/registry.h"
#include "cli/command.h"
#include "cli/layouts.h"
#include "cli/state_argument.h"

namespace convlens::cli {

// A layer to work on, and its name, or "" when it was written out.
struct Layer {
  std::string name;
  ConvProblem problem;

  std::string text() const;  // the name, or else the problem; with the batch size where it isn't 1
};

// Whether a command works on one combination of layer, algorithm, type and layouts, or on many.
enum class Amount : std::uint8_t { one, many };

// LAYER… and --layer, --suite, --batch; a layer may also be written out, in quotes as one argument or with --filter,
// --stride, … as options of the command, which also stand in the place of a named layer's own.
class LayerArguments {
 public:
  void add_to(Command& command, Amount amount);               // one: without --suite
  void when_left_out(std::string suite, std::int64_t batch);  // instead of no layers, and of N = 1 of named ones

  // Instead of no layers that of the state, with its batch size, and --filter, --stride, … in the place of its own.
  void when_left_out(const NamedByState& state);
  bool given() const { return !names_.empty() || !named_.empty() || !suites_.empty() || usual_; }
  bool batch_given() const { return batch_.has_value(); }
  bool parts_given() const { return !written_.empty() || no_bias_; }  // --filter, --stride, …

  // In the order given. Throws BadInput with the closest name, or the rule that a written-out layer breaks.
  std::vector<Layer> layers() const;

 private:
  std::vector<std::string> names_, named_, suites_;  // LAYER…, --layer, --suite
  std::string written_;                              // " --filter 64x3x3 --stride 2", from the options of the command
  bool bias_ = false, no_bias_ = false;              // whether --bias is one of these; --no-bias
  std::optional<std::int64_t> batch_;
  std::string usual_suite_;
  std::int64_t usual_batch_ = 1;
  std::optional<Layer> usual_;  // of a state
};

// --algorithm, --options, --dtype, --layout, --device.
class RowArguments {
 public:
  // One: without --options. `forms`: whether a run is in one type and one set of layouts.
  void add_to(Command& command, Amount amount, Amount forms);
  void add_to(Command& command, Amount amount) { add_to(command, amount, amount); }
  void add_row_to(Command& command);  // ROW, --dtype and --layout, one of each; no --device
  bool algorithm_given() const { return !runs_.empty(); }
  bool asks_for_all() const;  // by `--algorithm all`, or by not saying
  bool asks_for_all_options() const { return options_ == "all"; }

  // Instead of what is not given: the state's type and layouts, and all rows that were chosen in it, or the one that
  // can be used so, on these layers if that is one.
  void when_left_out(const NamedByState& state);
  void when_left_out(const NamedByState& state, OneRow use, const LayerArguments& layers);

  // Whether rows that cannot run are left out, which is said, and no error: of all rows, and of a state's.
  bool leaves_out() const { return asks_for_all() || runs_of_state_; }
  bool dtype_given() const { return !dtypes_.empty(); }
  bool layout_given() const { return !layouts_.empty(); }

  // The runs that are asked for; all rows with their defaults when none is. With `--options all` each row comes with
  // every combination of its listed values. Throws BadInput for a row that doesn't run on the device that is asked for,
  // and NoDevice where that is any GPU and there is none.
  std::vector<Run> runs() const;

  // The same, to be run: of all rows, or a state's, those that this machine can run. Throws NoDevice when a row that is
  // named needs a device that is not there, or when a state has no others.
  std::vector<Run> runs_here() const;

  // Says on stderr which rows `runs_here` has left out, and why; for the end of the work.
  void say_left_out() const;
  std::vector<DType> dtypes(std::vector<DType> otherwise) const;

  // The one type for a row on a GPU: f16 on tensor cores and f32 elsewhere, where nothing else is said, and where the
  // state's is one that the unit does not compute in.
  DType dtype_on_gpu(const Algorithm& row) const;
  std::vector<Layouts> layouts(std::vector<Layouts> otherwise) const;

  // Throws BadInput for what is wrong on any machine: a row, a type, layouts, the name of a device. What needs a device
  // looks at these first.
  void check_values() const;

  // Throws NoDevice for a device that is not there, or that a row needs; says why on stderr when it chooses itself.
  void check_device() const;

  // Where a row's tensors are: on the host, or on the GPU that is asked for, the first when none is.
  Place place(const Algorithm& row) const;

 private:
  Run named(const std::string& text) const;            // wherever it runs
  Run parse(const std::string& text) const;            // where it runs on the device that is asked for
  void form_when_left_out(const NamedByState& state);  // the type and the layouts
  bool takes(const Algorithm& row) const;              // whether the row runs on the device that is asked for
  bool computes(const Run& run, const ConvProblem& problem) const;  // in the one type and the layouts

  bool all_forms_ = true;            // whether --dtype and --layout may be all
  std::string row_ = "--algorithm";  // or ROW: by which a row is named
  std::vector<std::string> runs_, dtypes_, layouts_;
  bool runs_of_state_ = false, dtype_of_state_ = false;  // rather than of the command line
  std::string options_ = "default", device_;
};

// The one value of an option that may be repeated elsewhere. Throws BadInput when there are more, or none.
template <class T>
T only(const std::vector<T>& values, const std::string& parameter) {
  if (values.size() != 1)
    throw BadInput(parameter + ": " + std::to_string(values.size()) + " given, must be exactly one");
  return values.front();
}

// Lets an option that takes one value each time be given as often as the command works on.
const Parameter& limit(const Parameter& parameter, Amount amount);

// The request for one run in `place`; what is not said about memory is limited by the machine's or the device's.
Request make_request(const ConvProblem& problem, DType dtype, const Layouts& layouts, const OptionSet& options,
                     Place place, const Globals& globals);

}  // namespace convlens::cli
