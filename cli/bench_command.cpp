// `convlens bench`: what the algorithms cost. The same records for every row (algorithms/measure/record.h), as JSON
// Lines or CSV, and a table for people.
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "algorithms/measure/machine.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/session.h"
#include "algorithms/suggest.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

struct BenchArguments {
  LayerArguments layers;
  RowArguments rows;
  RulerOptions ruler{.stop = interrupted};
  std::uint64_t seed = 1;
  std::string timed = "call";
  std::string output;

  bool kernel_alone() const { return timed == "kernel"; }
};

// Where measurements go as they are made: to stdout for programs, to a file, into the table for people.
class Records {
 public:
  Records(const BenchArguments& arguments, const Globals& globals)
      : globals_(globals), kernel_alone_(arguments.kernel_alone()) {
    if (!arguments.output.empty()) file_ = std::make_unique<OutputFile>(arguments.output);
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
  void refuse(const std::string& reason) { ++refused_[reason]; }

  void finish() {
    if (count_ == 0 && !refused_.empty() && !interrupted())
      throw Unsupported("nothing could be measured: " + refused_.begin()->first);
    for (const auto& [reason, times] : refused_) say("refused, " + std::to_string(times) + " ×: " + reason);
    if (count_ == 0) return;
    if (file_) file_->commit();
    if (globals_.json || globals_.csv) return;
    print(table_.text() +
          (kernel_alone_ ? "\nTimes are of the kernels alone, after packing and transforming x and w." : "") +
          "\nGFLOP/s: direct-equivalent FLOPs / median time" +
          (effective_ ? "; effective: the algorithm executes another number of FLOPs, so this is no utilisation" : "") +
          ".\nfloor/time: the least time that the direct sum could take on this machine / median time.\n");
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
    table_.add({layer.text(), plan.run_name(), std::string(name(r.dtype)), cli::text(r.layouts), significant(median, 4),
                significant(m.timing.min_ms(), 4), percent(m.timing.spread()),
                rate(plan.flops()) + (effective ? " effective" : ""), rate(plan.executed_flops()),
                fixed(m.floor_fraction, 3), bytes_short(plan.workspace_bytes())});
  }
  static std::string percent(double share) {
    const std::string text = fixed(100 * share, 1);
    return text == "n/a" ? text : text + " %";
  }

  const Globals& globals_;
  const bool kernel_alone_;
  std::unique_ptr<OutputFile> file_;
  std::map<std::string, std::int64_t> refused_;  // reason, how often
  std::int64_t count_ = 0;
  bool effective_ = false;
  Table table_{{{"layer"},
                {"algorithm"},
                {"type"},
                {"layouts"},
                {"median ms", true},
                {"min ms", true},
                {"spread", true},
                {"GFLOP/s", true},
                {"executed", true},
                {"floor/time", true},
                {"workspace", true}}};
};

void measure_one(const BenchArguments& arguments, const Layer& layer, const std::shared_ptr<const Plan>& plan,
                 Records& records) {
  Session session(plan, arguments.seed);
  const bool kernel_alone = arguments.kernel_alone();
  if (kernel_alone) session.run();  // which makes what the kernel reads
  Timing timing = measure([&] { kernel_alone ? session.run_kernel() : session.run(); }, arguments.ruler);
  if (timing.samples_ms.empty()) return;

  // An empty batch does no work, and has no floor to be compared with.
  double floor_fraction = std::numeric_limits<double>::quiet_NaN();
  if (plan->flops() > 0) {
    const Ceilings& ceilings = cpu_ceilings(plan->request().threads);
    floor_fraction = floor_ms(plan->flops(), plan->request().tensor_bytes(), ceilings) / timing.median_ms();
  }
  records.add(layer, {.plan = *plan,
                      .layer = layer.name,
                      .timing = std::move(timing),
                      .cold_cache = arguments.ruler.cold_cache,
                      .kernel_alone = kernel_alone,
                      .seed = arguments.seed,
                      .bytes = session.ledger().lines(),
                      .floor_fraction = floor_fraction,
                      .error_over_bound = std::numeric_limits<double>::quiet_NaN()});
}

void bench(const BenchArguments& arguments, const Globals& globals) {
  arguments.rows.check_device();
  if (arguments.timed != "call" && !arguments.kernel_alone())
    throw BadInput("--timed: " + arguments.timed +
                   suggestion(arguments.timed, std::vector<std::string>{"call", "kernel"}));
  if (!arguments.layers.given()) throw BadInput("layer: none given, must be a layer, a suite or a problem in quotes");
  const std::vector<Layer> layers = arguments.layers.layers();
  const std::vector<Run> runs = arguments.rows.runs();
  const std::vector<DType> dtypes = arguments.rows.dtypes({DType::f32});
  const std::vector<Layouts> layouts = arguments.rows.layouts({Layouts{}});

  Records records(arguments, globals);
  Progress progress("bench", static_cast<std::int64_t>(layers.size() * runs.size() * dtypes.size() * layouts.size()));
  std::int64_t done = 0;
  for (const Layer& layer : layers)
    for (DType dtype : dtypes)
      for (const Layouts& layout : layouts)
        for (const Run& run : runs) {
          if (interrupted()) break;
          progress.show(done++, run_name(*run.algorithm, run.options) + " on " + layer.text());
          const Request request = make_request(layer.problem, dtype, layout, run.options, globals);
          if (const Support support = run.algorithm->supports(request); !support) {
            records.refuse(support.reason);
            continue;
          }
          const auto plan = run.algorithm->plan(request);
          if (const std::string why = plan->why_no_kernel(); arguments.kernel_alone() && !why.empty()) {
            records.refuse(why);
            continue;
          }
          if (globals.json || globals.csv) progress.clear();
          measure_one(arguments, layer, plan, records);
        }
  progress.clear();
  records.finish();
}

}  // namespace

void add_bench(CLI::App& app, const Globals& globals) {
  CLI::App* command = app.add_subcommand("bench", "measure what the algorithms cost: time, FLOPs, bytes");
  show_examples(*command, {"convlens bench cv12 --algorithm im2col",
                           "convlens bench cv9 cv12 --algorithm im2col --batch 2 --repeats 3 --cold",
                           "convlens bench '1x16x14x14 --filter 16x3x3 --pad 1' --dtype all --repeats 3 --csv",
                           "convlens bench cv12 --algorithm direct.cpu --timed kernel",
                           "convlens bench cv12 --algorithm im2col:batching=full -o records.jsonl"});
  const auto arguments = std::make_shared<BenchArguments>();
  BenchArguments* a = arguments.get();
  a->layers.add_to(*command, Amount::many);
  a->rows.add_to(*command, Amount::many);
  add_integer(
      *command, "--repeats", 1, 1'000'000, [a](std::int64_t v) { a->ruler.repeats = static_cast<int>(v); },
      "at least so many samples; 10 when left out");
  add_number(
      *command, "--seconds", 0, 1e6, [a](double v) { a->ruler.seconds = v; }, "and at least so long; 0 when left out");
  add_integer(
      *command, "--warmup", 0, 1'000'000, [a](std::int64_t v) { a->ruler.warmup = static_cast<int>(v); },
      "calls before the first sample; 2 when left out");
  command
      ->add_option("--timed", a->timed,
                   "call: all that a caller pays, when left out; kernel: what follows packing and transforming x and w")
      ->type_name("WHAT");
  command->add_flag("--cold", a->ruler.cold_cache, "empty the caches before each sample");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  add_integer(
      *command, "--seed", 0, most, [a](std::int64_t v) { a->seed = static_cast<std::uint64_t>(v); },
      "which random numbers the tensors are filled with");
  command->add_option("-o,--output", a->output, "records as JSON Lines, written whole or not at all")
      ->type_name("FILE");
  command->callback([arguments, &globals] { bench(*arguments, globals); });
}

}  // namespace convlens::cli
