// `convlens check`: holds every algorithm to the numerical contract (algorithms/interface/error_model.h), on named
// layers or on random problems, and makes what fails as small as it can be.
#include <chrono>
#include <limits>
#include <memory>
#include <set>

#include "algorithms/check/fuzz.h"
#include "algorithms/check/shrink.h"
#include "cli/arguments.h"
#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace convlens::cli {

namespace {

struct CheckArguments {
  LayerArguments layers;
  RowArguments rows;
  StateArgument state;
  std::optional<std::uint64_t> seed;
  bool fuzz = false;
  std::optional<double> seconds;
  bool verbose = false;
};

constexpr double kFuzzSeconds = 10;

std::uint64_t seed_of(const CheckArguments& arguments) { return arguments.seed.value_or(1); }

class Checking {
 public:
  Checking(const CheckArguments& arguments, const Globals& globals, CheckReport::Rows rows)
      : arguments_(arguments), globals_(globals), report_(rows), held_back_(globals.csv ? check_csv_header() : "") {}

  void check(const Layer& layer, const Algorithm& algorithm, const Request& request, Progress& progress) {
    const CheckResult result = convlens::check(algorithm, request, seed(), oracles_);
    report_.add(layer, algorithm, result);
    if (globals_.json || globals_.csv) {
      progress.clear();
      held_back_ += globals_.json ? check_json(layer, result) : check_csv(layer, result);
      if (checked_any()) release();
    }
    // The first failure of an algorithm and type says most of what there is to say.
    if (!result.supported || result.passed()) return;
    if (!shrunk_.insert(result.run + std::string(name(request.dtype))).second) return;
    const CheckResult shrunk = smallest(algorithm, result);
    report_.add_failure(result, shrunk);
    if (globals_.json || globals_.csv) say("failed, shrunk: " + shrunk.reproduce());
  }

  // Says what was found; throws Finished when it is no success.
  void finish() {
    if (!checked_any() && !report_.refusals().empty() && !interrupted())
      throw Unsupported("nothing could be checked: " + report_.refusals().line());
    release();
    arguments_.rows.say_left_out();
    if (!globals_.json && !globals_.csv) print(report_.text(arguments_.verbose));
    if (report_.failed() > 0) throw Finished{Exit::check_failed};
  }

 private:
  std::uint64_t seed() const { return seed_of(arguments_); }
  bool checked_any() const { return report_.passed() + report_.failed() > 0; }

  void release() {
    print(held_back_);
    held_back_.clear();
  }

  CheckResult smallest(const Algorithm& algorithm, const CheckResult& failed) {
    const auto fails = [&](const Request& request) {
      if (interrupted()) return false;
      const CheckResult result = convlens::check(algorithm, request, seed(), oracles_);
      return result.supported && !result.passed();
    };
    return convlens::check(algorithm, shrink(failed.request, fails), seed(), oracles_);
  }

  const CheckArguments& arguments_;
  const Globals& globals_;
  CheckReport report_;
  std::string held_back_;  // for stdout, which stays empty when nothing can be checked
  OracleCache oracles_;
  std::set<std::string> shrunk_;
};

void check_layers(const CheckArguments& arguments, const Globals& globals) {
  const std::vector<Layer> layers = arguments.layers.layers();
  arguments.rows.check_device();
  const std::vector<Run> runs = arguments.rows.runs_here();
  const std::vector<DType> dtypes = arguments.rows.dtypes({kDTypes.begin(), kDTypes.end()});
  const std::vector<Layouts> layouts = arguments.rows.layouts(homogeneous_layouts());

  Checking checking(arguments, globals, arguments.verbose ? CheckReport::Rows::each : CheckReport::Rows::by_layouts);
  Progress progress("check", static_cast<std::int64_t>(layers.size() * runs.size() * dtypes.size() * layouts.size()));
  std::int64_t done = 0;
  // All that shares an oracle, a problem and a type, comes one after the other.
  for (const Layer& layer : layers)
    for (DType dtype : dtypes)
      for (const Run& run : runs)
        for (const Layouts& layout : layouts) {
          if (interrupted()) break;
          progress.show(done++,
                        run_name(*run.algorithm, run.options) + " " + std::string(name(dtype)) + " on " + layer.text());
          const Place place = arguments.rows.place(*run.algorithm);
          checking.check(layer, *run.algorithm, make_request(layer.problem, dtype, layout, run.options, place, globals),
                         progress);
        }
  progress.clear();
  checking.finish();
}

// What was said on the command line holds for random requests too.
Request fuzz_request(const CheckArguments& arguments, const Run& run, const ConvProblem& problem, std::uint64_t index,
                     const Globals& globals) {
  const Request random = random_request(*run.algorithm, problem, seed_of(arguments), index);
  const std::vector<DType> dtypes = arguments.rows.dtypes({random.dtype});
  const std::vector<Layouts> layouts = arguments.rows.layouts({random.layouts});
  const bool options_given = run.options != OptionSet::parse("", run.algorithm->options);
  return make_request(random.problem, dtypes[index % dtypes.size()], layouts[index % layouts.size()],
                      options_given ? run.options : random.options, arguments.rows.place(*run.algorithm), globals);
}

void check_random(const CheckArguments& arguments, const Globals& globals) {
  arguments.rows.check_device();
  const double seconds = arguments.seconds.value_or(kFuzzSeconds);
  const std::vector<Run> runs = arguments.rows.runs_here();
  Checking checking(arguments, globals, arguments.verbose ? CheckReport::Rows::each : CheckReport::Rows::by_dtype);
  Progress progress("fuzz", 0);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / seconds;
  };
  const auto over = [&] { return interrupted() || passed() >= 1; };
  for (std::uint64_t index = 0; !over(); ++index) {
    const Layer layer{"", random_problem(seed_of(arguments), index)};
    for (const Run& run : runs) {
      if (over()) break;
      progress.show_time(passed(), "problem " + std::to_string(index) + ", " + layer.text());
      const Request request = fuzz_request(arguments, run, layer.problem, index, globals);
      checking.check({"", request.problem}, *run.algorithm, request, progress);  // the row may have been met halfway
    }
  }
  progress.clear();
  checking.finish();
}

// With --fuzz the problems are random, whatever layer the state has.
void fill(CheckArguments& arguments) {
  const std::optional<NamedByState> state = arguments.state.read();
  if (!state) return;
  if (!arguments.fuzz) arguments.layers.when_left_out(*state);
  arguments.rows.when_left_out(*state);
  if (!arguments.seed) arguments.seed = state->seed();
}

void check_command(const CheckArguments& arguments, const Globals& globals) {
  const LayerArguments& layers = arguments.layers;
  if (arguments.fuzz && (layers.given() || layers.parts_given()))
    throw BadInput("--fuzz: given with a layer, must be one of them");
  if (arguments.seconds && !arguments.fuzz) throw BadInput("--seconds: must go with --fuzz");
  if (arguments.fuzz) return check_random(arguments, globals);
  if (!arguments.layers.given())
    throw BadInput("layer: none given, must be a layer, a suite, a problem in quotes, or --fuzz");
  check_layers(arguments, globals);
}

}  // namespace

void add_check(CLI::App& app, const Globals& globals) {
  Command command(app, "check", "hold the algorithms to the numerical contract, against float64",
                  {"convlens check '2x3x9x7 --filter 4x3x3 --pad 1'",
                   "convlens check cv12 --algorithm im2col:batching=tile --dtype f32 --layout NCHW",
                   "convlens check mb2ic4ih8oc6kh3ph1 --algorithm direct --layout all --csv",
                   "convlens check --fuzz --seconds 2 --seed 7",
                   "convlens check --state state.json --layer '1x4x9x9 --filter 4x3x3'"});
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->layers.add_to(command, Amount::many);
  arguments->rows.add_to(command, Amount::many);
  arguments->state.add_to(command, "layer, rows, type, layouts and seed");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  command.integer(
      "--seed", 0, most, [a = arguments.get()](std::int64_t v) { a->seed = static_cast<std::uint64_t>(v); },
      "which random numbers the tensors are filled with");
  command.flag("--fuzz", arguments->fuzz, "random problems and requests instead of layers");
  command.number(
      "--seconds", 0.01, 1e6, [a = arguments.get()](double v) { a->seconds = v; },
      "how long to go on with --fuzz; 10 when left out");
  command.flag("--verbose", arguments->verbose, "a row for every check, and every refusal");
  command.run([arguments, &globals] {
    fill(*arguments);
    check_command(*arguments, globals);
  });
}

}  // namespace convlens::cli
