#include "cli/state_argument.h"

#include "cli/arguments.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/state.h"
#include "viewer/logic/state_rules.h"

namespace convlens::cli {

namespace {

// `runs`, which are the state's `field`, without empty ones.
std::vector<std::string> checked(const std::string& field, std::vector<std::string> runs) {
  std::erase(runs, "");
  for (const std::string& run : runs)
    if (const std::string wrong = viewer::wrong_run(field, run); !wrong.empty()) throw BadInput("state: " + wrong);
  return runs;
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

std::vector<std::string> NamedByState::chosen_runs() const { return checked("runs", state_->runs); }

std::vector<std::string> NamedByState::run_pointed_at() const {
  for (const std::string& run : chosen_runs())
    if (state_->cursor.tensor.starts_with(run + "/")) return {run};
  return chosen_runs();
}

std::vector<std::string> NamedByState::run_measured() const {
  return checked("performance.run", {state_->performance.run});
}

std::vector<std::string> NamedByState::run_with_kernel() const {
  return checked("kernel.run", {viewer::kernel_run(*state_)});
}

void StateArgument::add_to(Command& command, const std::string& names) {
  command.text("--state", file_, "FILE", "a state file of the viewer: its " + names + ", where nothing else is said");
}

std::optional<NamedByState> StateArgument::read() const {
  if (file_.empty()) return std::nullopt;
  return NamedByState(viewer::read_state(file_));
}

}  // namespace convlens::cli
