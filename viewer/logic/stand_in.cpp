#include "viewer/logic/stand_in.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "algorithms/error.h"
#include "algorithms/problem/layers.h"

namespace convlens::viewer {

namespace {

using worker::Job;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string row_of(const Job& job) { return job.run.substr(0, job.run.find(':')); }

// The state with layer size, type, layouts and timing of a record.
State as_recorded(const State& state, const Curve& record) {
  State recorded = state;
  recorded.spec = record.job.spec;
  recorded.dtype = record.job.dtype;
  recorded.layouts = record.job.layouts;
  recorded.performance.timed = timed_of(record.job);
  return recorded;
}

// What of `asked` is another in `recorded`.
std::vector<std::string> differences(const State& asked, const State& recorded) {
  std::vector<std::string> parts;
  if (asked.spec.n != recorded.spec.n) parts.push_back("N = " + std::to_string(asked.spec.n));
  if (asked.dtype != recorded.dtype) parts.emplace_back(name(asked.dtype));
  if (asked.layouts != recorded.layouts) parts.emplace_back(name(asked.layouts.x));
  if (asked.performance.timed != recorded.performance.timed) parts.push_back(timed_title(asked.performance.timed));
  return parts;
}

// The options in which `other` is not as the live run: "tile = 64x128, slice = 64".
std::vector<std::string> differences(const Run& live, const Run& other) {
  std::vector<std::string> parts;
  for (const Option& option : live.algorithm->options)
    if (const std::string value = other.options[option.id]; value != live.options[option.id])
      parts.push_back(option.title + " = " + value);
  return parts;
}

std::string text_of(const Change& change) {
  return change.option == nullptr ? "as it is" : change.option->title + " = " + change.value;
}

// The option sets that are recorded and none of the switches flipped, those with fewer differences first.
std::vector<Contribution> other_sets(const Comparisons& compared, const Study& study, const Records& records) {
  std::vector<std::pair<std::size_t, Contribution>> sets;
  for (const Curve* curve : records.option_sets(compared.job)) {
    Job job = compared.job;
    job.run = curve->job.run;
    if (std::ranges::find(compared.changes, job.run, [](const Change& c) { return c.job.run; }) !=
        compared.changes.end())
      continue;
    try {
      const std::vector<std::string> parts = differences(compared.run, parse_run(job.run));
      sets.push_back({parts.size(), {joined(parts), job, nullptr, known(study, records, job)}});
    } catch (const BadInput&) {
      continue;  // a record of a row as it was, with options that it has no more
    }
  }
  std::ranges::stable_sort(sets, {}, [](const auto& set) { return set.first; });
  std::vector<Contribution> bars;
  for (auto& [count, bar] : sets) bars.push_back(std::move(bar));
  return bars;
}

}  // namespace

std::string why_not_measured(const Study& study) {
  if (!study.can_measure()) return "a picture shows what is recorded, unless --measure is given";
  const Curve* live = study.live();
  if (live != nullptr && !live->refused.empty()) return live->refused;
  if (live != nullptr && !live->line.ms.empty()) return "";
  const worker::Client* client = study.client();
  using State = worker::Client::State;
  if (client == nullptr || (client->state() != State::gone && client->state() != State::other_version)) return "";
  return "the worker " + client->says();
}

bool records_stand_in(const Study& study) {
  constexpr double kSoon = 1;  // s: a flipped option is measured in less, and must not have another line flash up
  return study.unanswered_seconds() > kSoon || !why_not_measured(study).empty();
}

std::string worker_remarks(const Study& study) {
  const worker::Client* client = study.client();
  if (client == nullptr) return "";
  std::string remarks = client->note();
  if (const std::string trouble = client->trouble(); !trouble.empty())
    remarks += (remarks.empty() ? "" : "; it ") + trouble;
  return remarks.empty() ? "" : "the worker " + remarks;
}

std::optional<State> recorded_state(const State& state, const Records& records) {
  const auto run = live_run(state);
  if (!run) return std::nullopt;
  const Job asked = job_of(state, run_name(*run->algorithm, run->options));
  const Curve* closest = records.closest(asked);
  if (closest == nullptr || closest->job.run != asked.run) return std::nullopt;
  return as_recorded(state, *closest);
}

const Curve* closest_record(const State& state, const Records& records) {
  const Job live = job_of(state, state.performance.run);
  const Curve* const of_live = records.closest(live);
  if (of_live == nullptr || row_of(of_live->job) == row_of(live)) return of_live;
  const auto unlike = [&](const Curve& curve) { return differences(state, as_recorded(state, curve)).size(); };
  const Curve* best = nullptr;
  for (const std::string& run : state.runs) {
    const Job job = job_of(state, run);
    const Curve* curve = records.closest(job);
    if (row_of(curve->job) == row_of(job) && (best == nullptr || unlike(*curve) < unlike(*best))) best = curve;
  }
  return best != nullptr ? best : of_live;
}

std::string asked_differently(const State& asked, const State& recorded) {
  return joined(differences(asked, recorded));
}

std::string recorded_among(const std::vector<const Curve*>& points, const Curve* shown) {
  std::size_t recorded = 0;
  std::set<const Curve*> known;
  std::vector<std::string> sources;
  for (const Curve* point : points) {
    if (point == nullptr || point->line.ms.empty() || !known.insert(point).second) continue;
    if (point->made_on.empty()) continue;
    ++recorded;
    if (std::ranges::find(sources, point->made_on) == sources.end()) sources.push_back(point->made_on);
  }
  const bool badge_says_it =
      shown != nullptr && !shown->made_on.empty() && recorded == known.size() && sources.size() == 1;
  if (recorded == 0 || badge_says_it) return "";
  std::string on;
  for (const std::string& source : sources) on += (on.empty() ? "" : "; ") + source;
  return std::to_string(recorded) + " of " + std::to_string(known.size()) + (known.size() == 1 ? " rate" : " rates") +
         " recorded, not measured, on " + on;
}

std::string recorded_layers(const Records& records) {
  std::vector<std::string> layers;
  for (const NamedLayer& layer : named_layers())
    if (std::ranges::find(records.curves, layer.name, [](const Curve& curve) { return curve.job.layer; }) !=
        records.curves.end())
      layers.push_back(layer.name);
  return joined(layers);
}

std::string settings_text(const Job& job) {
  return "N = " + std::to_string(job.spec.n) + ", " + std::string(name(job.dtype)) + ", " +
         std::string(name(job.layouts.x)) + ", " + timed_title(timed_of(job));
}

std::string timed_of(const Job& job) { return job.kernel_alone ? "kernel" : job.cold_cache ? "cold" : "call"; }

std::string timed_title(const std::string& timed) {
  return timed == "kernel" ? "kernel alone" : timed == "cold" ? "cold caches" : "whole call";
}

std::string spread_text(double spread) {
  if (std::isnan(spread)) return "";
  if (spread > 1) return ", samples disagree widely: other programs run";
  return ", spread " + std::to_string(std::lround(100 * spread)) + " %";
}

Contributions contributions(const Comparisons& compared, const Study& study, const Records& records) {
  Contributions all;
  const Curve* whole = known(study, records, compared.job);
  const bool recorded = whole != nullptr && !whole->made_on.empty();
  for (const Change& change : compared.changes) {
    const Curve* curve = known(study, records, change.job);
    if (recorded && curve == nullptr)
      all.missing.push_back(text_of(change));
    else
      all.bars.push_back({text_of(change), change.job, change.option, curve});
  }
  if (recorded)
    for (Contribution& bar : other_sets(compared, study, records)) all.bars.push_back(std::move(bar));
  return all;
}

}  // namespace convlens::viewer
