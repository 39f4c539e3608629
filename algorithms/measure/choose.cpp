#include "algorithms/measure/choose.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "algorithms/measure/device.h"
#include "algorithms/measure/lighter.h"
#include "algorithms/measure/session.h"
#include "algorithms/problem/checked.h"

namespace convlens {

namespace {

constexpr double kWarm = 3;  // how much faster the last-level cache is than memory
constexpr std::size_t kFairCalls = 3;

// ms that a call may take before it has done anything: waking threads, asking a library. Nothing that the model knows.
constexpr double kCall = 0.01;

bool same(const Run& a, const Run& b) { return a.algorithm == b.algorithm && a.options == b.options; }

// Whether an optimisation is switched off, or otherwise than usual.
bool ablated(const Run& run) {
  return std::ranges::any_of(run.algorithm->options, [&](const Option& option) {
    return option.ablation && run.options[option.id] != option.default_value;
  });
}

// The candidate with what the model says of it, or with what it knows nothing about.
Candidate with_estimate(Candidate candidate) {
  const Plan& plan = *candidate.plan;
  const Request& request = plan.request();
  if (plan.flops() == 0) return candidate;
  if (request.dtype != DType::f32) {  // which rows.model is fitted to
    candidate.no_model = name(request.dtype);
    return candidate;
  }
  const Run run{&plan.algorithm(), request.options};
  bool known = false;  // the run, for other layers or layouts
  for (const RowModel& model : row_models()) {
    if (!same(model.run, run)) continue;
    known = true;
    if (!model.fits(request)) continue;
    candidate.estimate = estimate(plan, model, cpu_ceilings(request.threads));
    return candidate;
  }
  const std::string options = run.options.text(run.algorithm->options);
  candidate.no_model = known && one_channel_a_group(request.problem) ? "depthwise layers"
                       : known                                       ? "x in " + std::string(name(request.layouts.x))
                                                                     : (options.empty() ? run.algorithm->id : options);
  return candidate;
}

// The defaults, and each other value of an option that is no ablation.
std::vector<Run> variations(const Algorithm& row) {
  const OptionSet defaults = OptionSet::parse("", row.options);
  std::vector<Run> runs{{&row, defaults}};
  for (const Option& option : row.options)
    for (const std::string& value : option.values)
      if (!option.ablation && value != option.default_value) {
        runs.push_back({&row, defaults});
        runs.back().options.set(option.id, value);
      }
  return runs;
}

bool by_model(const Candidate& a, const Candidate& b) {
  if (a.estimate.has_value() != b.estimate.has_value()) return a.estimate.has_value();
  return a.estimate && a.estimate->ms() < b.estimate->ms();
}

// All that are measured are ready to run at the same time; a memory limit is one run's.
void require_room(const std::vector<const Plan*>& plans) {
  std::int64_t together = 0;
  for (const Plan* plan : plans)
    together = checked::sum("bytes", {together, plan->request().tensor_bytes(), plan->workspace_bytes()});
  if (const std::int64_t memory = machine().memory; memory > 0 && together > memory)
    throw Unsupported("measure: " + std::to_string(plans.size()) + " candidates take " + std::to_string(together) +
                      " bytes together, must be ≤ the machine's " + std::to_string(memory) +
                      " bytes; fewer may be named");
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::string Estimate::bound() const {
  if (ms() < kCall) return "the call itself";
  if (transform_ms > std::max(arithmetic_ms, memory_ms)) return "packing and transforms";
  return arithmetic_ms >= memory_ms ? "arithmetic" : "memory";
}

Estimate estimate(const Plan& plan, const RowModel& model, const Ceilings& ceilings) {
  const std::int64_t tensors = plan.request().tensor_bytes();
  const bool warm = machine().last_level_cache > 0 && tensors <= machine().last_level_cache;
  const double flops = static_cast<double>(plan.executed_flops()), bytes = static_cast<double>(tensors);
  const double per_ms = ceilings.gbytes * 1e6, moved = static_cast<double>(workspace_traffic(plan));

  Estimate e;
  e.arithmetic_ms = flops / (model.efficiency * ceilings.gflops * 1e6);
  e.memory_ms = bytes / (per_ms * (warm ? kWarm : 1));
  e.transform_ms = moved / (model.transform * per_ms);
  e.roofline_ms = std::max(flops / (ceilings.gflops * 1e6), e.memory_ms);
  return e;
}

std::vector<Run> runs_to_choose_from() {
  std::vector<Run> runs;
  for (const RowModel& model : row_models())
    if (!ablated(model.run) && std::ranges::none_of(runs, [&](const Run& run) { return same(run, model.run); }))
      runs.push_back(model.run);
  for (const Algorithm* row : algorithms()) {
    if (std::ranges::any_of(row_models(), [&](const RowModel& model) { return model.run.algorithm == row; })) continue;
    for (Run& run : variations(*row)) runs.push_back(std::move(run));
  }
  std::erase_if(runs, [](const Run& run) { return !why_not_here(*run.algorithm).empty(); });
  return runs;
}

Choice candidates(const std::vector<Run>& runs, const Request& request) {
  Choice choice;
  const auto bytes = [](const std::shared_ptr<const Plan>& plan) { return plan->workspace_bytes(); };
  const auto add = [&](const std::shared_ptr<const Plan>& plan, const std::shared_ptr<const Plan>& instead_of) {
    const auto same_name = [&](const Candidate& c) { return c.plan->run_name() == plan->run_name(); };
    if (std::ranges::any_of(choice.ranked, same_name)) return;
    choice.ranked.push_back(with_estimate({.plan = plan, .instead_of = instead_of}));
  };
  std::vector<Lighter> lighter;
  std::vector<std::shared_ptr<const Plan>> too_large;
  for (const Run& run : runs) {
    Request own = request;
    own.options = run.options;
    const Support support = run.algorithm->supports(own);
    if (support) {
      add(run.algorithm->plan(own), nullptr);
      continue;
    }
    choice.refused.add(*run.algorithm, own, support.reason);
    Request unlimited = own;
    unlimited.memory_limit = std::nullopt;
    if (!run.algorithm->supports(unlimited)) continue;
    too_large.push_back(run.algorithm->plan(unlimited));
    lighter.push_back(lighter_plans(*run.algorithm, own));
  }
  for (std::size_t k = 0; k < lighter.size(); ++k) {
    for (const std::shared_ptr<const Plan>& plan : lighter[k].plans) add(plan, too_large[k]);
    if (!choice.smallest || bytes(lighter[k].smallest) < bytes(choice.smallest)) choice.smallest = lighter[k].smallest;
  }
  if (!choice.ranked.empty()) choice.smallest = nullptr;
  std::ranges::stable_sort(choice.ranked, by_model);
  return choice;
}

void measure(std::vector<Candidate>& candidates, const ContestOptions& options) {
  using Clock = std::chrono::steady_clock;
  struct Entrant {
    Candidate* candidate;
    Session session;
    double spent_ms = 0;

    std::size_t calls() const { return candidate->timing.samples_ms.size(); }
  };
  if (candidates.empty()) return;
  const double best_model = candidates.front().estimate ? std::max(kCall, candidates.front().estimate->ms()) : 0;
  std::vector<const Plan*> plans;
  for (Candidate& candidate : candidates) {
    if (candidate.estimate && candidate.estimate->ms() > options.hopeless * best_model)
      candidate.left_out =
          "the model expects " + std::to_string(std::lround(candidate.estimate->ms() / best_model)) + " times the best";
    else
      plans.push_back(candidate.plan.get());
  }
  require_room(plans);
  std::vector<Entrant> entrants;
  for (Candidate& candidate : candidates)
    if (candidate.left_out.empty()) entrants.push_back({&candidate, Session(candidate.plan, 1)});

  double best = std::numeric_limits<double>::infinity();
  const auto judge = [&](Entrant& entrant) {
    const double behind = entrant.candidate->measured_ms / best;
    if (entrant.spent_ms < 1e3 * options.chance) return;
    if (behind > options.hopeless || (entrant.calls() >= kFairCalls && behind > options.behind))
      entrant.candidate->left_out = "behind after " + std::to_string(entrant.calls()) + " calls";
  };
  const auto stopped = [&] { return options.stop && options.stop(); };
  const Clock::time_point begin = Clock::now();
  for (int round = 0; !stopped(); ++round) {
    if (round > options.repeats && milliseconds(Clock::now() - begin) >= 1e3 * options.seconds) break;
    for (Entrant& entrant : entrants) {
      if (!entrant.candidate->left_out.empty() || stopped()) continue;
      const Clock::time_point start = Clock::now();
      entrant.session.run();
      const double time = milliseconds(Clock::now() - start);
      entrant.candidate->timing.samples_ms.push_back(time);
      entrant.spent_ms += time;
      double& least = entrant.candidate->measured_ms;
      least = std::fmin(least, time);  // which takes a number over a NaN
      best = std::min(best, time);
    }
    for (Entrant& entrant : entrants) judge(entrant);
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (std::isnan(a.measured_ms) != std::isnan(b.measured_ms)) return std::isnan(b.measured_ms);
    return a.measured_ms < b.measured_ms;
  });
}

std::string advice_on_waiting(const std::vector<Candidate>& candidates) {
  for (const Candidate& c : candidates)
    if (c.plan->request().place.kind == Place::Kind::host)
      if (const std::string advice = advice_on_waiting(c.timing, c.plan->request().threads); !advice.empty())
        return advice;
  return "";
}

}  // namespace convlens
