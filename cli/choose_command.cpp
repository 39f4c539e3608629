// `convlens choose`: which row to take for a layer, and why. By the model of algorithms/measure/choose.h, or with
// --measure by running the candidates against each other; --compare prints the regret of both.
#include <algorithm>
#include <memory>

#include "algorithms/measure/choose.h"
#include "cli/arguments.h"
#include "cli/choose_report.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace convlens::cli {

namespace {

struct ChooseArguments {
  LayerArguments layers;
  RowArguments rows;
  StateArgument state;
  bool measure = false, compare = false;
  std::string of_measuring;  // an option that was given and says how to measure
  ContestOptions contest{.stop = interrupted};
};

// The runs to choose from: those that are named, or all that are worth a look; and with --options all every combination
// of listed values besides.
std::vector<Run> runs_asked_for(const RowArguments& rows) {
  const std::vector<Run> runs = rows.runs_here();
  if (!rows.asks_for_all()) return runs;
  std::vector<Run> all = runs_to_choose_from();
  std::erase_if(all, [&](const Run& run) {
    return std::ranges::none_of(runs, [&](const Run& here) { return here.algorithm == run.algorithm; });
  });
  if (rows.asks_for_all_options()) all.insert(all.end(), runs.begin(), runs.end());
  return all;
}

// Chooses for one layer, type and set of layouts after the other.
class Choosing {
 public:
  Choosing(const ChooseArguments& arguments, const Globals& globals) : arguments_(arguments), globals_(globals) {}

  void choose(const Layer& layer, const Request& request, Progress& progress) {
    Choice choice = candidates(runs_, request);
    std::vector<Candidate>& ranked = choice.ranked;
    refused_.add(choice.refused);
    if (ranked.empty()) return nothing_.push_back(nothing_for(layer, request, choice));
    const bool empty = request.problem.n() == 0;
    const std::string pick = ranked.front().plan->run_name();
    std::vector<Candidate> again = ranked;
    if (!empty && (arguments_.measure || arguments_.compare)) measure(ranked, arguments_.contest);
    if (!empty && arguments_.compare) measure(again, arguments_.contest);
    if (interrupted()) return;
    progress.clear();
    if (advice_.empty()) advice_ = advice_on_waiting(ranked);
    if (arguments_.compare && !empty)
      comparison_.add(layer, again, pick, ranked.front().plan->run_name());
    else if (globals_.json)
      print(ranking_json(layer, ranked));
    else
      print((chosen_ ? "\n" : "") + (empty ? nothing_to_compute(layer, request) : ranking_text(layer, ranked)));
    chosen_ = true;
  }

  void finish() {
    if (!chosen_ && !nothing_.empty() && !interrupted())
      throw Unsupported("nothing to choose from: " + (nothing_.size() == 1 ? nothing_.front() : refused_.line()));
    arguments_.rows.say_left_out();
    for (const std::string& line : nothing_) say("nothing to choose from: " + line);
    if (arguments_.compare && comparison_.layers() > 0) print(globals_.json ? comparison_.json() : comparison_.text());
    if (!advice_.empty() && !globals_.json) say(advice_);
  }

 private:
  const ChooseArguments& arguments_;
  const Globals& globals_;
  const std::vector<Run> runs_ = runs_asked_for(arguments_.rows);
  Comparison comparison_;
  Refusals refused_;
  std::vector<std::string> nothing_;  // where no row was left
  std::string advice_;
  bool chosen_ = false;
};

void choose(const ChooseArguments& arguments, const Globals& globals) {
  if (!arguments.layers.given()) throw BadInput("layer: none given, must be a layer, a suite or a problem in quotes");
  if (!arguments.of_measuring.empty() && !arguments.measure && !arguments.compare)
    throw BadInput(arguments.of_measuring + ": must go with --measure or --compare");
  const std::vector<Layer> layers = arguments.layers.layers();
  arguments.rows.check_device();
  Choosing choosing(arguments, globals);
  Progress progress("choose", static_cast<std::int64_t>(layers.size()));
  std::int64_t done = 0;
  for (const Layer& layer : layers) {
    for (DType dtype : arguments.rows.dtypes({DType::f32}))
      for (const Layouts& layout : arguments.rows.layouts({Layouts{}})) {
        if (interrupted()) break;
        progress.show(done, layer.text());
        choosing.choose(layer, make_request(layer.problem, dtype, layout, {}, Place{}, globals), progress);
      }
    ++done;
  }
  progress.clear();
  choosing.finish();
}

}  // namespace

void add_choose(CLI::App& app, const Globals& globals) {
  Command command(app, "choose", "which algorithm to take for a layer, and why",
                  {"convlens choose --layer cv9", "convlens choose cv12 --measure --threads 1",
                   "convlens choose '1x32x28x28 --filter 32x3x3 --pad 1' --layout NHWC --algorithm direct.cpu "
                   "--algorithm im2win.cpu",
                   "convlens choose cv11 cv12 --compare --json", "convlens choose --state state.json --algorithm all"});
  const auto arguments = std::make_shared<ChooseArguments>();
  ChooseArguments* a = arguments.get();
  a->layers.add_to(command, Amount::many);
  a->rows.add_to(command, Amount::many);
  a->state.add_to(command, "layer, rows, type and layouts");
  command.flag("--measure", a->measure, "run the candidates against each other, interleaved, and rank by time");
  command.flag(
      "--compare", a->compare,
      "measure twice, and print how much longer than the best of the second time the picks of the model and of the "
      "first take");
  command.integer(
      "--repeats", 1, 1'000'000,
      [a](std::int64_t v) { a->contest.repeats = static_cast<int>(v), a->of_measuring = "--repeats"; },
      "at least so many samples of each; 10 when left out");
  command.number(
      "--seconds", 0, 1e6, [a](double v) { a->contest.seconds = v, a->of_measuring = "--seconds"; },
      "and at least so long a layer; 0.5 when left out");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) {
      arguments->layers.when_left_out(*state);
      arguments->rows.when_left_out(*state);
    }
    choose(*arguments, globals);
  });
}

}  // namespace convlens::cli
