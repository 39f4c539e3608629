// `convlens choose`: which row to take for a layer, and why. By the model of algorithms/measure/choose.h, or with
// --measure by running the candidates against each other; --compare prints the regret of both.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithms/measure/choose.h"
#include "algorithms/measure/ruler.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ChooseArguments {
  LayerArguments layers;
  RowArguments rows;
  bool measure = false, compare = false;
  ContestOptions contest{.stop = interrupted};
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double best_known_ms(const Candidate& c) {
  return std::isnan(c.measured_ms) && c.estimate ? c.estimate->ms() : c.measured_ms;
}

// The first term of the model with nothing lost, over the time that is known.
double of_roofline(const Candidate& c) {
  return c.estimate ? c.estimate->roofline_ms / best_known_ms(c) : std::numeric_limits<double>::quiet_NaN();
}

std::string percent(double share) { return std::isfinite(share) ? fixed(100 * share, 0) + " %" : "n/a"; }

// "bound by arithmetic, at 85 % of the roofline", and what is known against it.
std::string why(const Candidate& c) {
  if (!c.estimate) return "no model" + (c.left_out.empty() ? "" : "; " + c.left_out);
  return "bound by " + c.estimate->bound() + ", at " + percent(of_roofline(c)) + " of its roofline" +
         (c.left_out.empty() ? "" : "; " + c.left_out);
}

std::string ranking_text(const Layer& layer, const std::vector<Candidate>& ranked) {
  Table table({{"", true},
               {"algorithm"},
               {"model ms", true},
               {"measured ms", true},
               {"GFLOP/s", true},
               {"workspace", true},
               {"why"}});
  std::size_t rank = 0;
  for (const Candidate& c : ranked)
    table.add({std::to_string(++rank), c.plan->run_name(), c.estimate ? significant(c.estimate->ms(), 3) : "n/a",
               significant(c.measured_ms, 4), fixed(1000 * tflops(c.plan->flops(), best_known_ms(c)), 1),
               bytes_short(c.plan->workspace_bytes()), why(c)});
  const Request& r = ranked.front().plan->request();
  return layer.text() + ", " + std::string(name(r.dtype)) + ", " + cli::text(r.layouts) + "\n" + table.text();
}

Json ranking_json(const Layer& layer, const std::vector<Candidate>& ranked) {
  Json candidates = Json::array();
  for (const Candidate& c : ranked) {
    Json model = nullptr;
    if (c.estimate)
      model = {{"ms", c.estimate->ms()},
               {"arithmetic_ms", c.estimate->arithmetic_ms},
               {"memory_ms", c.estimate->memory_ms},
               {"transform_ms", c.estimate->transform_ms},
               {"bound", c.estimate->bound()}};
    candidates.push_back({{"run", c.plan->run_name()},
                          {"model", model},
                          {"measured_ms", number(c.measured_ms)},
                          {"roofline_fraction", number(of_roofline(c))},
                          {"workspace_bytes", c.plan->workspace_bytes()},
                          {"left_out", c.left_out.empty() ? Json(nullptr) : Json(c.left_out)}});
  }
  const Request& request = ranked.front().plan->request();
  return {{"layer", layer.text()},
          {"dtype", name(request.dtype)},
          {"layouts", cli::text(request.layouts)},
          {"depthwise", request.problem.groups() > 1 && request.problem.ci_per_group() == 1},
          {"candidates", candidates}};
}

// The regret of two choices: how much longer than the best what the model picks takes, and what was fastest in a first
// measurement; both in a second one, which knows nothing of the first.
class Comparison {
 public:
  // `ranked` by the second measurement.
  void add(const Layer& layer, const std::vector<Candidate>& ranked, const std::string& by_model,
           const std::string& by_measurement) {
    const double best = ranked.front().measured_ms;
    const auto time = [&](const std::string& run) {
      return std::ranges::find_if(ranked, [&](const Candidate& c) { return c.plan->run_name() == run; })->measured_ms;
    };
    const double model_ms = time(by_model), measured_ms = time(by_measurement);
    within_model_ += model_ms / best - 1 <= kModel;
    within_measured_ += measured_ms / best - 1 <= kMeasured;
    ++layers_;
    table_.add({layer.text(), by_model, significant(model_ms, 4), percent(model_ms / best - 1), by_measurement,
                significant(measured_ms, 4), percent(measured_ms / best - 1), ranked.front().plan->run_name(),
                significant(best, 4)});
    json_.push_back({{"layer", layer.text()},
                     {"pick", by_model},
                     {"pick_ms", number(model_ms)},
                     {"regret", number(model_ms / best - 1)},
                     {"measured_pick", by_measurement},
                     {"measured_pick_ms", number(measured_ms)},
                     {"measured_regret", number(measured_ms / best - 1)},
                     {"best", ranked.front().plan->run_name()},
                     {"best_ms", number(best)}});
  }
  std::string text() const {
    const std::string of = " of " + std::to_string(layers_) + " layers";
    return table_.text() + "\nThe model's pick is within " + percent(kModel) + " of the best on " +
           std::to_string(within_model_) + of + ", the pick of a first measurement within " + percent(kMeasured) +
           " on " + std::to_string(within_measured_) + of + ".\n";
  }
  std::string json() const {
    std::string lines;
    for (const Json& line : json_) lines += line.dump() + "\n";
    return lines;
  }

 private:
  static constexpr double kModel = 0.2, kMeasured = 0.05;
  Table table_{{{"layer"},
                {"the model's pick"},
                {"ms", true},
                {"regret", true},
                {"measured pick"},
                {"ms", true},
                {"regret", true},
                {"best"},
                {"ms", true}}};
  Json json_ = Json::array();
  int within_model_ = 0, within_measured_ = 0, layers_ = 0;
};

void choose(const ChooseArguments& arguments, const Globals& globals) {
  arguments.rows.check_device();
  if (!arguments.layers.given()) throw BadInput("layer: none given, must be a layer, a suite or a problem in quotes");
  const std::vector<Layer> layers = arguments.layers.layers();
  std::vector<Run> runs = arguments.rows.runs_here();
  if (arguments.rows.asks_for_all()) {
    const auto here = [&](const Algorithm* row) {
      return std::ranges::any_of(runs, [&](const Run& run) { return run.algorithm == row; });
    };
    std::vector<Run> all = runs_to_choose_from();
    std::erase_if(all, [&](const Run& run) { return !here(run.algorithm); });
    runs = std::move(all);
  }

  Comparison comparison;
  std::map<std::string, std::int64_t> refused;
  Progress progress("choose", static_cast<std::int64_t>(layers.size()));
  std::int64_t done = 0;
  bool chosen = false;
  for (const Layer& layer : layers)
    for (DType dtype : arguments.rows.dtypes({DType::f32}))
      for (const Layouts& layout : arguments.rows.layouts({Layouts{}})) {
        if (interrupted()) break;
        progress.show(done, layer.text());
        std::vector<Candidate> ranked =
            candidates(runs, make_request(layer.problem, dtype, layout, {}, Place{}, globals), refused);
        if (ranked.empty()) continue;
        const std::string pick = ranked.front().plan->run_name();
        std::vector<Candidate> again = ranked;
        if (arguments.measure || arguments.compare) measure(ranked, arguments.contest);
        if (arguments.compare) measure(again, arguments.contest);
        if (interrupted()) break;
        progress.clear();
        if (arguments.compare)
          comparison.add(layer, again, pick, ranked.front().plan->run_name());
        else if (globals.json)
          print(ranking_json(layer, ranked).dump() + "\n");
        else
          print((chosen ? "\n" : "") + ranking_text(layer, ranked));
        chosen = true;
        done += 1;
      }
  progress.clear();
  arguments.rows.say_left_out();
  if (!chosen && !refused.empty() && !interrupted()) {
    const auto most = std::ranges::max_element(refused, {}, [](const auto& reason) { return reason.second; });
    throw Unsupported("nothing to choose from: " + most->first);  // what keeps most rows from it
  }
  if (arguments.compare && chosen) print(globals.json ? comparison.json() : comparison.text());
}

}  // namespace

void add_choose(CLI::App& app, const Globals& globals) {
  Command command(app, "choose", "which algorithm to take for a layer, and why",
                  {"convlens choose --layer cv9", "convlens choose cv12 --measure --threads 1",
                   "convlens choose '1x32x28x28 --filter 32x3x3 --pad 1' --layout NHWC --algorithm direct.cpu "
                   "--algorithm im2win.cpu",
                   "convlens choose cv11 cv12 --compare --json"});
  const auto arguments = std::make_shared<ChooseArguments>();
  ChooseArguments* a = arguments.get();
  a->layers.add_to(command, Amount::many);
  a->rows.add_to(command, Amount::many);
  command.flag("--measure", a->measure, "run the candidates against each other, interleaved, and rank by time");
  command.flag(
      "--compare", a->compare,
      "measure twice, and print how much longer than the best of the second time the picks of the model and of the "
      "first take");
  command.integer(
      "--repeats", 1, 1'000'000, [a](std::int64_t v) { a->contest.repeats = static_cast<int>(v); },
      "at least so many samples of each; 10 when left out");
  command.number(
      "--seconds", 0, 1e6, [a](double v) { a->contest.seconds = v; },
      "and at least so long a layer; 0.5 when left out");
  command.run([arguments, &globals] { choose(*arguments, globals); });
}

}  // namespace convlens::cli
