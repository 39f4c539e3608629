#include "algorithms/measure/choose.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "algorithms/embedded.h"
#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/session.h"

namespace convlens {

namespace {

constexpr double kWarm = 3;  // how much faster the last-level cache is than memory
constexpr int kFairCalls = 3;

double share(const std::string& line, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value > 0) return value;
  throw BadInput("rows.model, " + line + ": " + text + ", must be a number > 0");
}

// The words of a column, each with what it stands for; "any" stands for nothing in particular.
template <class Value>
std::optional<Value> one_of(const std::string& line, const std::string& word,
                            const std::map<std::string, Value>& meanings) {
  if (word == "any") return std::nullopt;
  const auto found = meanings.find(word);
  if (found == meanings.end()) throw BadInput("rows.model, " + line + ": " + word + ", not known in this column");
  return found->second;
}

// "onednn.direct:format=blocked  NHWC  dense  0.9  1.5"
RowModel parse_line(const std::string& line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  if (words.size() != 5) throw BadInput("rows.model, " + line + ": must be a run, layout, layers and two numbers");
  return {parse_run(words[0]),
          one_of<Layout>(line, words[1], {{"NCHW", Layout::NCHW}, {"NHWC", Layout::NHWC}, {"CHWN", Layout::CHWN}}),
          one_of<bool>(line, words[2], {{"depthwise", true}, {"dense", false}}), share(line, words[3]),
          share(line, words[4])};
}

const RowModel* model_of(const Run& run, const Request& request) {
  for (const RowModel& model : row_models())
    if (model.run.algorithm == run.algorithm && model.run.options == run.options && model.fits(request)) return &model;
  return nullptr;
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

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

const std::vector<RowModel>& row_models() {
  static const std::vector<RowModel> models = [] {
    std::vector<RowModel> parsed;
    for (const EmbeddedFile& file : model_files())
      for (std::string_view rest = file.text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string facts(line.substr(0, line.find('#')));
        if (!facts.empty()) parsed.push_back(parse_line(facts));
      }
    return parsed;
  }();
  return models;
}

bool RowModel::fits(const Request& request) const {
  const bool one_channel = request.problem.groups() > 1 && request.problem.ci_per_group() == 1;
  return (!x || *x == request.layouts.x) && (!depthwise || *depthwise == one_channel);
}

std::string Estimate::bound() const {
  if (transform_ms > std::max(arithmetic_ms, memory_ms)) return "transforms";
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
    if (std::ranges::none_of(runs, [&](const Run& run) {
          return run.algorithm == model.run.algorithm && run.options == model.run.options;
        }))
      runs.push_back(model.run);
  for (const Algorithm* row : algorithms()) {
    if (std::ranges::any_of(row_models(), [&](const RowModel& model) { return model.run.algorithm == row; })) continue;
    for (Run& run : variations(*row)) runs.push_back(std::move(run));
  }
  std::erase_if(runs, [](const Run& run) { return !why_not_here(*run.algorithm).empty(); });
  return runs;
}

std::vector<Candidate> candidates(const std::vector<Run>& runs, const Request& request,
                                  std::map<std::string, std::int64_t>& refused) {
  std::vector<Candidate> fitting;
  for (const Run& run : runs) {
    Request own = request;
    own.options = run.options;
    if (const Support support = run.algorithm->supports(own); !support) {
      ++refused[support.reason];
      continue;
    }
    Candidate candidate{.plan = run.algorithm->plan(own), .estimate = std::nullopt};
    if (const RowModel* model = model_of(run, own))
      candidate.estimate = estimate(*candidate.plan, *model, cpu_ceilings(candidate.plan->request().threads));
    fitting.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(fitting, by_model);
  return fitting;
}

void measure(std::vector<Candidate>& candidates, const ContestOptions& options) {
  using Clock = std::chrono::steady_clock;
  struct Entrant {
    Candidate* candidate;
    Session session;
    int calls = 0;
    double spent_ms = 0;
  };
  if (candidates.empty()) return;
  const double best_model = candidates.front().estimate ? candidates.front().estimate->ms() : 0;
  std::vector<Entrant> entrants;
  for (Candidate& candidate : candidates) {
    if (candidate.estimate && candidate.estimate->ms() > options.hopeless * best_model)
      candidate.left_out =
          "the model expects " + std::to_string(std::lround(candidate.estimate->ms() / best_model)) + " times the best";
    else
      entrants.push_back({&candidate, Session(candidate.plan, 1)});
  }

  double best = std::numeric_limits<double>::infinity();
  const auto judge = [&](Entrant& entrant) {
    const double behind = entrant.candidate->measured_ms / best;
    if (entrant.spent_ms < 1e3 * options.chance) return;
    if (behind > options.hopeless || (entrant.calls >= kFairCalls && behind > options.behind))
      entrant.candidate->left_out = "behind after " + std::to_string(entrant.calls) + " calls";
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
      ++entrant.calls;
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

}  // namespace convlens
