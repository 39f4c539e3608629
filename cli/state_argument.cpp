#include "cli/state_argument.h"

#include <algorithm>
#include <iterator>

#include "algorithms/interface/registry.h"
#include "algorithms/shortened.h"
#include "cli/arguments.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/runs.h"
#include "viewer/logic/state.h"
#include "viewer/logic/state_input.h"
#include "viewer/logic/state_rules.h"

namespace convlens::cli {

namespace {

// Throws in the line that the viewer has for a run of the state's `field` that there is not.
void check_run(const std::string& field, const std::string& run) {
  if (const std::string wrong = viewer::wrong_run(field, run); !wrong.empty()) throw BadInput("state: " + wrong);
}

std::string listed(const std::vector<std::string>& runs, const std::string& separator) {
  constexpr std::size_t kMostBytes = 400;  // a line is read
  std::string text;
  for (const std::string& run : runs) text += (text.empty() ? "" : separator) + run;
  return shortened(text, kMostBytes);
}

bool usable(const std::string& run, OneRow use) {
  return use != OneRow::with_kernel || viewer::has_kernels(*parse_run(run).algorithm);
}

}  // namespace

NamedByState::NamedByState(const viewer::State& state) : state_(std::make_shared<const viewer::State>(state)) {}

DType NamedByState::dtype() const { return state_->dtype; }
Layouts NamedByState::layouts() const { return state_->layouts; }
std::uint64_t NamedByState::seed() const { return state_->seed; }
std::string NamedByState::picture() const { return state_->picture; }
std::string NamedByState::timed() const { return state_->performance.timed; }

Layer NamedByState::layer() const {
  if (const std::string wrong = viewer::wrong_layer(*state_); !wrong.empty()) throw BadInput("state: " + wrong);
  if (const std::vector<BrokenRule> broken = broken_rules(state_->spec); !broken.empty())
    throw BadInput("state: " + broken.front().line());
  return {state_->layer, ConvProblem(state_->spec)};
}

std::vector<std::string> NamedByState::chosen_runs() const {
  std::vector<std::string> runs = viewer::distinct_runs(state_->runs);
  std::erase(runs, "");
  for (const std::string& run : runs) check_run("runs", run);
  return runs;
}

// The chosen rows, and that of the panel which uses one so, where it was told which: the Performance panel has one from
// the start.
std::vector<std::string> NamedByState::runs_for(OneRow use) const {
  std::vector<std::string> runs = chosen_runs();
  const std::string measured = state_->performance.run == viewer::PerformanceState().run ? "" : state_->performance.run;
  const auto add = [&](const std::string& field, const std::string& run) {
    check_run(field, run);
    if (!run.empty()) runs.push_back(run);
  };
  if (use == OneRow::measured) add("performance.run", measured);
  if (use == OneRow::with_kernel) add("kernel.run", state_->kernel.run);
  return viewer::distinct_runs(runs);
}

std::string NamedByState::one_run(OneRow use, const std::string& parameter,
                                  const std::function<bool(const Algorithm&)>& takes,
                                  const std::function<bool(const Run&)>& computes) const {
  const std::vector<std::string> all = runs_for(use);
  std::vector<std::string> usable_ones, runs;
  for (const std::string& run : all)
    if (usable(run, use)) usable_ones.push_back(run);
  for (const std::string& run : usable_ones)
    if (takes(*parse_run(run).algorithm)) runs.push_back(run);
  if (runs.size() == 1) return runs.front();  // should it not compute the layer, it says why itself
  std::vector<std::string> computing;
  std::ranges::copy_if(runs, std::back_inserter(computing),
                       [&](const std::string& run) { return computes(parse_run(run)); });
  if (computing.size() == 1) return computing.front();
  if (!computing.empty()) runs = computing;

  const std::string none = parameter + ": none given, must be ";
  if (!runs.empty()) throw BadInput(none + "one of those that the state names: " + listed(runs, " | "));
  if (all.empty()) throw BadInput(none + "a row of `convlens list algorithms`; the state names none either");
  const auto [rule, lack] = usable_ones.empty() ? std::pair{"a row with a kernel on a GPU", "none has a kernel"}
                                                : std::pair{"a row of this --device", "none runs there"};
  throw BadInput(none + rule + "; the state names " + listed(all, ", ") + ", and " + lack);
}

viewer::State read_state_argument(const std::string& file) {
  try {
    return viewer::read_state_input(file);
  } catch (const BadInput&) {
    if (interrupted()) throw Finished{Exit::interrupted};
    throw;
  }
}

void StateArgument::add_to(Command& command, const std::string& names) {
  command.text("--state", file_, "FILE",
               "a state file of the viewer, or - for standard input: its " + names + ", where nothing else is said");
}

std::optional<NamedByState> StateArgument::read() const {
  if (!given()) return std::nullopt;
  return NamedByState(read_state_argument(file_));
}

}  // namespace convlens::cli
