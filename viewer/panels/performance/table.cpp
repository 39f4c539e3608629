// What the Performance panel writes: the numbers of the chart on show, a row a run.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms/measure/ruler.h"
#include "algorithms/problem/parse.h"
#include "viewer/panels/performance/performance.h"

namespace convlens::viewer {

namespace {

// A rate or a time, null where nobody knows it.
nlohmann::ordered_json known(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json row_of(const Curve* curve, const worker::Job& job) {
  nlohmann::ordered_json row{{"run", job.run},
                             {"layer", job.layer.empty() ? to_text(job.spec) : job.layer},
                             {"n", job.spec.n},
                             {"dtype", name(job.dtype)},
                             {"layout", name(job.layouts.x)},
                             {"timed", job.kernel_alone ? "kernel" : "call"},
                             {"l2", job.cold_cache ? "cold" : "warm"}};
  const double nan = std::nan("");
  // Of all samples, of the live run too.
  const double ms = curve == nullptr ? nan : curve->line.median_ms(0);
  row["tflops"] = known(curve == nullptr ? nan : tflops(curve->line.flops, ms));
  row["tflops_executed"] = known(curve == nullptr ? nan : tflops(curve->line.executed, ms));
  row["median_ms"] = known(ms);
  row["samples"] = curve == nullptr ? 0 : curve->line.ms.size();
  row["source"] = curve == nullptr ? "" : source_text(*curve);
  return row;
}

nlohmann::ordered_json live_rows(const Bench& bench) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto add = [&](const char* shown_as, const Curve* curve, const worker::Job& job) -> nlohmann::ordered_json& {
    rows.push_back(row_of(curve, job));
    rows.back()["shown_as"] = shown_as;
    return rows.back();
  };
  for (const Change& change : bench.compared.changes) {
    const char* const shown_as = change.option == nullptr ? "live" : "option";
    nlohmann::ordered_json& row = add(shown_as, bench.known(change.job), change.job);
    row["option"] = change.option == nullptr ? "" : change.option->id;
    row["value"] = change.value;
  }
  // Other option sets of the row, which are recorded and no switch flipped.
  for (const Contribution& bar : contributions(bench.compared, bench.measurements(), bench.records).bars) {
    const auto is_bars = [&](const Change& change) { return change.job.run == bar.job.run; };
    if (std::ranges::none_of(bench.compared.changes, is_bars)) add("options", bar.curve, bar.job);
  }
  for (const worker::Job& job : bench.compared.peers) add("peer", bench.known(job), job);
  for (const auto& ghost : bench.study.ghosts()) add("ghost", ghost.get(), ghost->job);
  return rows;
}

nlohmann::ordered_json roofline_rows(const Bench& bench) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const worker::Job& job : bench.compared.rows) {
    const Curve* curve = bench.known(job);
    nlohmann::ordered_json row = row_of(curve, job);
    row["flops_per_byte"] = known(curve == nullptr ? std::nan("") : intensity(curve->line.flops, job));
    row["executed_per_byte"] =
        known(curve == nullptr || curve->line.executed == 0 ? std::nan("") : intensity(curve->line.executed, job));
    rows.push_back(row);
  }
  return rows;
}

nlohmann::ordered_json sweep_rows(const Bench& bench) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Sweep& sweep : bench.compared.sweeps)
    for (std::size_t k = 0; k < sweep.jobs.size(); ++k) {
      nlohmann::ordered_json row = row_of(bench.known(sweep.jobs[k]), sweep.jobs[k]);
      row["swept"] = bench.shown_state.performance.swept;
      row["value"] = sweep.values[k];
      rows.push_back(row);
    }
  return rows;
}

}  // namespace

nlohmann::ordered_json performance_data(const Scene& scene) {
  const Records& records = shipped_records();
  auto compared = comparisons(scene.state);
  if (!compared) return nlohmann::ordered_json::array();
  State shown = scene.state;
  const std::string why = why_not_measured(*scene.study);
  if (records_stand_in(*scene.study) && known(*scene.study, records, compared->job) == nullptr)
    if (const auto recorded = recorded_state(scene.state, records)) shown = *recorded, compared = comparisons(shown);
  Scene own = scene;
  const Bench bench{own, *scene.study, records, shown, *compared, why};
  const std::string& chart = scene.state.performance.chart;
  auto rows = chart == "live" ? live_rows(bench) : chart == "roofline" ? roofline_rows(bench) : sweep_rows(bench);
  for (auto& row : rows) row["worker"] = worker_remarks(*scene.study);
  return rows;
}

}  // namespace convlens::viewer
