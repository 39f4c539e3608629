// `convlens bench`: what the algorithms cost. The same records for every row (algorithms/measure/record.h), as JSON
// Lines or CSV, and a table for people.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "algorithms/check/check.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/refusals.h"
#include "algorithms/measure/session.h"
#include "algorithms/measure/side_by_side.h"
#include "algorithms/output_file.h"
#include "algorithms/problem/parse.h"
#include "algorithms/suggest.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/cpu_facts.h"
#include "cli/gpu_facts.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

struct BenchArguments {
  LayerArguments layers;
  RowArguments rows;
  RulerOptions ruler{.stop = interrupted};
  StateArgument state;
  std::optional<std::uint64_t> seed;
  std::string timed = "call";
  bool verify = false;
  std::string output;

  bool calls() const { return timed != "kernel"; }
  bool kernels() const { return timed != "call"; }
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where measurements go as they are made: to stdout for programs, to a file, into the table for people.
class Records {
 public:
  Records(const BenchArguments& arguments, const Globals& globals)
      : globals_(globals), calls_(arguments.calls()), kernels_(arguments.kernels()) {
    refuse_same_file({{"--output", arguments.output}}, {{"--state", arguments.state.file()}});
    if (!arguments.output.empty()) file_ = std::make_unique<OutputFile>(arguments.output, "--output");
  }

  void add(const Layer& layer, const Measurement& measurement) {
    if (globals_.csv && count_ == 0) print(csv_header() + "\n");
    ++count_;
    const std::string json = to_json(measurement) + "\n";
    if (file_) file_->write(std::as_bytes(std::span(json)));
    if (globals_.json) print(json);
    if (globals_.csv) print(to_csv(measurement) + "\n");
    add_to_table(layer, measurement);
  }
  void refuse(const Algorithm& row, const Request& request, const std::string& reason) {
    refused_.add(row, request, reason);
  }

  void finish() {
    if (count_ == 0 && !refused_.empty() && !interrupted())
      throw Unsupported("nothing could be measured: " + refused_.line());
    for (const auto& [reason, times] : refused_.reasons()) say("refused, " + std::to_string(times) + " ×: " + reason);
    if (count_ == 0) return;
    if (file_) file_->commit();
    if (globals_.json || globals_.csv) return;
    print(table_.text() +
          (!calls_    ? "\nTimes are of the kernels alone, after packing and transforming x and w."
           : kernels_ ? "\n(kernel): of the kernel alone, after packing and transforming x and w."
                      : "") +
          "\nGFLOP/s: direct-equivalent FLOPs / median time" +
          (effective_ ? "; effective: the algorithm executes another number of FLOPs, so this is no utilisation" : "") +
          ".\nquartiles: half of the samples lie between them.\nfloor/time: the least time that the direct sum could "
          "take on this machine / median time.\n");
    if (!advice_.empty()) say(advice_);
  }

 private:
  void add_to_table(const Layer& layer, const Measurement& m) {
    const Plan& plan = m.plan;
    const Request& r = plan.request();
    const double median = m.timing.median_ms();
    // An empty batch does nothing, whatever a plan would execute for one image.
    const auto rate = [&](std::int64_t flops) {
      return plan.flops() > 0 ? fixed(1000 * tflops(flops, median), 2) : "n/a";
    };
    const bool effective = plan.flops() > 0 && plan.executed_flops() != plan.flops();
    effective_ = effective_ || effective;
    if (advice_.empty() && r.place.kind == Place::Kind::host)
      advice_ = advice_on_waiting(m.timing, r.resolved_threads());
    table_.add({layer.text(), plan.run_name() + (calls_ && m.kernel_alone ? " (kernel)" : ""),
                std::string(name(r.dtype)), cli::text(r.layouts), significant(median, 4),
                significant(m.timing.min_ms(), 4), quartiles(m.timing),
                rate(plan.flops()) + (effective ? " effective" : ""), rate(plan.executed_flops()),
                fixed(m.floor_fraction, 3), bytes_short(plan.workspace_bytes())});
  }
  static std::string quartiles(const Timing& timing) {
    return significant(timing.quantile_ms(0.25), 3) + " – " + significant(timing.quantile_ms(0.75), 3);
  }

  const Globals& globals_;
  const bool calls_, kernels_;  // which of them are measured
  std::unique_ptr<OutputFile> file_;
  Refusals refused_;
  std::int64_t count_ = 0;
  bool effective_ = false;
  std::string advice_;
  Table table_{{{"layer"},
                {"algorithm"},
                {"type"},
                {"layouts"},
                {"median ms", true},
                {"min ms", true},
                {"quartiles ms", true},
                {"GFLOP/s", true},
                {"executed", true},
                {"floor/time", true},
                {"workspace", true}}};
};

// What is measured on one layer, type and set of layouts.
class Bench {
 public:
  Bench(const BenchArguments& arguments, const Globals& globals)
      : arguments_(arguments), records_(arguments, globals) {}

  // Measures the plan, or, on a GPU, puts it by to be measured with others. One that finds too little memory is
  // refused, and the others go on.
  void add(const Layer& layer, const std::shared_ptr<const Plan>& plan) {
    const std::string why = plan->why_no_kernel();
    if (!arguments_.calls() && !why.empty()) return refuse(plan->algorithm(), plan->request(), why);
    try {
      double error = kNaN;
      if (arguments_.verify && !verified(*plan, error)) return;
      if (plan->request().place == Place{})
        measure_here(layer, plan, error, arguments_.kernels() && why.empty());
      else
        waiting_.push_back(plan), errors_.push_back(error);
    } catch (const Unsupported& none) {
      refuse(plan->algorithm(), plan->request(), plan->run_name() + ": " + none.what());
    }
  }
  void refuse(const Algorithm& row, const Request& request, const std::string& reason) {
    records_.refuse(row, request, reason);
  }

  // Measures what was put by, side by side.
  void measure_waiting(const Layer& layer) {
    const std::vector<std::shared_ptr<const Plan>> plans = std::exchange(waiting_, {});
    const std::vector<double> errors = std::exchange(errors_, {});
    const std::vector<Outcome> outcomes = measure_side_by_side(plans, seed(), arguments_.ruler);
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      const Outcome& outcome = outcomes[k];
      if (!outcome.refused.empty()) refuse(outcome.plan->algorithm(), outcome.plan->request(), outcome.refused);
      if (outcome.timing.samples_ms.empty()) continue;
      Measurement measurement =
          measured(layer, *outcome.plan, outcome.timing, outcome.bytes, errors[k], !arguments_.calls());
      add_gpu_facts(measurement, outcome, plans.size());
      records_.add(layer, measurement);
    }
  }

  void finish() {
    for (const std::string& wrong : wrong_) say("not timed, because wrong: " + wrong);
    records_.finish();
    arguments_.rows.say_left_out();
    if (!wrong_.empty()) throw Finished{Exit::check_failed};
  }

 private:
  std::uint64_t seed() const { return arguments_.seed.value_or(1); }

  // Whether the row computes a batch of at most two images of the plan's layer right; `error` becomes the largest
  // error in units of its bound.
  bool verified(const Plan& plan, double& error) {
    Request request = plan.request();
    constexpr std::int64_t kImages = 2;
    request.problem = request.problem.with_batch(std::min(kImages, plan.problem().n()));
    const Verdict verdict = check_worst_case(plan.algorithm().plan(request), seed(), oracles_);
    error = verdict.ratio;
    if (!verdict.kept)
      wrong_.push_back(plan.run_name() + " on " + to_text(request.problem.spec()) + ", " + verdict.line());
    return verdict.kept;
  }

  Measurement measured(const Layer& layer, const Plan& plan, const Timing& timing,
                       const std::vector<Ledger::Line>& bytes, double error, bool kernel_alone) const {
    return {.plan = plan,
            .layer = layer.name,
            .timing = timing,
            .cold_cache = arguments_.ruler.cold_cache,
            .kernel_alone = kernel_alone,
            .seed = seed(),
            .bytes = bytes,
            .error_over_bound = error};
  }

  // The call, the kernel that follows its packing and transforms, or both.
  void measure_here(const Layer& layer, const std::shared_ptr<const Plan>& plan, double error, bool with_kernel) {
    Session session(plan, seed());
    const auto add = [&](bool kernel_alone) {
      const Timing timing = measure([&] { kernel_alone ? session.run_kernel() : session.run(); }, arguments_.ruler);
      if (timing.samples_ms.empty()) return;
      Measurement measurement = measured(layer, *plan, timing, session.ledger().lines(), error, kernel_alone);
      add_cpu_facts(measurement);
      records_.add(layer, measurement);
    };
    if (arguments_.calls()) add(false);
    if (!with_kernel) return;
    session.run();  // makes what the kernel reads
    add(true);
  }

  const BenchArguments& arguments_;
  Records records_;
  OracleCache oracles_;
  std::vector<std::shared_ptr<const Plan>> waiting_;
  std::vector<double> errors_;      // of these
  std::vector<std::string> wrong_;  // what verified refused
};

void fill(BenchArguments& arguments) {
  const std::optional<NamedByState> state = arguments.state.read();
  if (!state) return;
  arguments.layers.when_left_out(*state);
  arguments.rows.when_left_out(*state);
  if (!arguments.seed) arguments.seed = state->seed();
}

void bench(const BenchArguments& arguments, const Globals& globals) {
  if (const std::vector<std::string> known{"call", "kernel", "all"};
      std::ranges::find(known, arguments.timed) == known.end())
    throw BadInput("--timed: " + arguments.timed + suggestion(arguments.timed, known));
  if (!arguments.layers.given()) throw BadInput("layer: none given, must be a layer, a suite or a problem in quotes");
  const std::vector<Layer> layers = arguments.layers.layers();
  const std::vector<DType> dtypes = arguments.rows.dtypes({DType::f32});
  const std::vector<Layouts> layouts = arguments.rows.layouts({Layouts{}});

  Bench bench(arguments, globals);  // which opens its file
  arguments.rows.check_device();
  const std::vector<Run> runs = arguments.rows.runs_here();
  Progress progress("bench", static_cast<std::int64_t>(layers.size() * runs.size() * dtypes.size() * layouts.size()));
  std::int64_t done = 0;
  for (const Layer& layer : layers)
    for (DType dtype : dtypes)
      for (const Layouts& layout : layouts) {
        for (const Run& run : runs) {
          if (interrupted()) break;
          progress.show(done++, run_name(*run.algorithm, run.options) + " on " + layer.text());
          const Request request =
              make_request(layer.problem, dtype, layout, run.options, arguments.rows.place(*run.algorithm), globals);
          if (const Support support = run.algorithm->supports(request); !support) {
            bench.refuse(*run.algorithm, request, support.reason);
            continue;
          }
          if (globals.json || globals.csv) progress.clear();
          bench.add(layer, run.algorithm->plan(request));
        }
        if (!interrupted()) bench.measure_waiting(layer);
      }
  progress.clear();
  bench.finish();
}

}  // namespace

void add_bench(CLI::App& app, const Globals& globals) {
  Command command(app, "bench", "measure what the algorithms cost: time, FLOPs, bytes",
                  {"convlens bench cv12 --algorithm im2col",
                   "convlens bench cv9 cv12 --algorithm im2col --batch 2 --repeats 3 --cold",
                   "convlens bench '1x16x14x14 --filter 16x3x3 --pad 1' --dtype all --repeats 3 --csv",
                   "convlens bench cv12 --algorithm direct.cpu --timed kernel",
                   "convlens bench cv12 --algorithm im2col --algorithm im2col:batching=full --verify -o records.jsonl",
                   "convlens bench --state state.json --batch 1 --repeats 3"});
  const auto arguments = std::make_shared<BenchArguments>();
  BenchArguments* a = arguments.get();
  a->layers.add_to(command, Amount::many);
  a->rows.add_to(command, Amount::many);
  a->state.add_to(command, "layer, rows, type, layouts and seed");
  command.integer(
      "--repeats", 1, 1'000'000, [a](std::int64_t v) { a->ruler.repeats = static_cast<int>(v); },
      "at least so many samples; 10 when left out");
  command.number(
      "--seconds", 0, 1e6, [a](double v) { a->ruler.seconds = v; }, "and at least so long; 0 when left out");
  command.integer(
      "--warmup", 0, 1'000'000, [a](std::int64_t v) { a->ruler.warmup = static_cast<int>(v); },
      "calls before the first sample; 2 when left out");
  command.text(
      "--timed", a->timed, "WHAT",
      "call: all that a caller pays, when left out; kernel: what follows packing and transforming x and w; all: "
      "the call and, where a row has one, its kernel");
  command.flag("--verify", a->verify, "check each row on at most two images first, and time none that is wrong");
  command.flag("--cold", a->ruler.cold_cache, "empty the caches before each sample");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  command.integer(
      "--seed", 0, most, [a](std::int64_t v) { a->seed = static_cast<std::uint64_t>(v); },
      "which random numbers the tensors are filled with");
  command.text("-o,--output", a->output, "FILE", "records as JSON Lines, written whole or not at all");
  command.run([arguments, &globals] {
    fill(*arguments);
    bench(*arguments, globals);
  });
}

}  // namespace convlens::cli
