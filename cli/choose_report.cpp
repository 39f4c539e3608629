#include "cli/choose_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/numbers.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kModel = 0.2, kMeasured = 0.05;  // the regrets that a comparison counts

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double best_known_ms(const Candidate& c) {
  return std::isnan(c.measured_ms) && c.estimate ? c.estimate->ms() : c.measured_ms;
}

// The first term of the model with nothing lost, over the time that is known.
double of_roofline(const Candidate& c) {
  return c.estimate ? c.estimate->roofline_ms / best_known_ms(c) : std::numeric_limits<double>::quiet_NaN();
}

std::string percent(double share) { return std::isfinite(share) ? fixed(100 * share, 0) + " %" : "n/a"; }

// "bound by arithmetic, at 85 % of the roofline", what is known against it, and why its options are not the usual ones.
std::string why(const Candidate& c) {
  std::string text = c.estimate
                         ? "bound by " + c.estimate->bound() + ", at " + percent(of_roofline(c)) + " of its roofline"
                         : "no model for " + c.no_model;
  if (!c.left_out.empty()) text += "; " + c.left_out;
  if (c.instead_of) text += "; " + c.instead_of->run_name() + " needs " + bytes_short(c.instead_of->workspace_bytes());
  return text;
}

std::string heading(const Layer& layer, const Request& r) {
  return layer.text() + ", " + std::string(name(r.dtype)) + ", " + cli::text(r.layouts);
}

}  // namespace

std::string nothing_to_compute(const Layer& layer, const Request& request) {
  return heading(layer, request) + "\nNothing to compute: N = 0, so no algorithm is better than another.\n";
}

std::string nothing_for(const Layer& layer, const Request& request, const Choice& choice) {
  std::string line = heading(layer, request) + ": " + choice.refused.line();
  if (choice.smallest)
    line += "; the least that any needs is " +
            std::to_string(choice.smallest->workspace_bytes() + request.tensor_bytes()) + " bytes, by " +
            choice.smallest->run_name();
  return line;
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
  const Request& request = ranked.front().plan->request();
  const bool in_order =
      std::ranges::any_of(ranked, [](const Candidate& c) { return c.estimate || !std::isnan(c.measured_ms); });
  return heading(layer, request) + (in_order ? "" : "; in no order: nothing is known of their times, --measure tells") +
         "\n" + table.text();
}

std::string ranking_json(const Layer& layer, const std::vector<Candidate>& ranked) {
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
                          {"no_model_for", c.no_model.empty() ? Json(nullptr) : Json(c.no_model)},
                          {"instead_of", c.instead_of ? Json(c.instead_of->run_name()) : Json(nullptr)},
                          {"left_out", c.left_out.empty() ? Json(nullptr) : Json(c.left_out)}});
  }
  const Request& request = ranked.front().plan->request();
  const Json line{{"layer", layer.text()},
                  {"dtype", name(request.dtype)},
                  {"layouts", cli::text(request.layouts)},
                  {"depthwise", one_channel_a_group(request.problem)},
                  {"nothing_to_compute", request.problem.n() == 0},
                  {"candidates", candidates}};
  return line.dump() + "\n";
}

void Comparison::add(const Layer& layer, const std::vector<Candidate>& ranked, const std::string& by_model,
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
  const Json line{{"layer", layer.text()},
                  {"pick", by_model},
                  {"pick_ms", number(model_ms)},
                  {"regret", number(model_ms / best - 1)},
                  {"measured_pick", by_measurement},
                  {"measured_pick_ms", number(measured_ms)},
                  {"measured_regret", number(measured_ms / best - 1)},
                  {"best", ranked.front().plan->run_name()},
                  {"best_ms", number(best)}};
  json_ += line.dump() + "\n";
}

std::string Comparison::text() const {
  const std::string of = " of " + std::to_string(layers_) + " layers";
  return table_.text() + "\nThe model's pick is within " + percent(kModel) + " of the best on " +
         std::to_string(within_model_) + of + ", the pick of a first measurement within " + percent(kMeasured) +
         " on " + std::to_string(within_measured_) + of + ".\n";
}

std::string Comparison::json() const { return json_; }

}  // namespace convlens::cli
