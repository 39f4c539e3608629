#include "algorithms/check/check.h"

#include <algorithm>
#include <exception>

#include "algorithms/check/bounds.h"
#include "algorithms/check/nonfinite.h"
#include "algorithms/check/trial.h"
#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/peers/blas.h"
#include "algorithms/problem/parse.h"
#include "algorithms/tensor/rounded.h"

namespace convlens {

namespace {

constexpr std::int64_t kRunOnceAbove = std::int64_t{1} << 25;  // multiplications

struct Subject {
  const Algorithm& algorithm;
  std::shared_ptr<const Plan> plan;
  std::uint64_t seed;
  OracleCache& cache;

  const ConvProblem& problem() const { return plan->problem(); }
  DType dtype() const { return plan->request().dtype; }
  bool small() const { return problem().multiplications() <= kRunOnceAbove; }
};

void note_fault(Verdict& verdict, const std::string& fault) {
  if (verdict.fault.empty()) verdict.fault = fault;
}

bool multiplied_by_blas(const Plan& plan) {
  return blas::available() && std::ranges::any_of(plan.notes(), [](const std::string& note) {
           return note.find(blas::name()) != std::string::npos;
         });
}

// The runs that must give the same bits as the run before, which `trial` made and which gave `y`.
void check_repeats(const Subject& subject, const Inputs& inputs, Trial& trial, const std::vector<double>& y,
                   Verdict& verdict) {
  const auto same = [&](const std::string& run, Trial& of) {
    const std::string difference = first_difference(of.run(), y, subject.problem().y_shape());
    note_fault(verdict, of.fault());
    if (!difference.empty()) note_fault(verdict, run + " gave " + difference);
  };
  same("a second run", trial);
  if (subject.algorithm.unit != Unit::cpu || subject.algorithm.vendor || multiplied_by_blas(*subject.plan)) return;
  Request request = subject.plan->request();
  request.threads = request.threads == 1 ? 3 : 1;
  Trial other(subject.algorithm.plan(request), inputs);
  same(std::to_string(request.threads) + (request.threads == 1 ? " thread" : " threads"), other);
}

// The promises (b) and (c), on the same run.
std::vector<Verdict> check_uniform(const Subject& subject) {
  const auto entry = subject.cache.get(subject.problem(), subject.dtype(), {Data::Kind::uniform, {}, subject.seed});
  const Shape shape = subject.problem().y_shape();
  const auto compare = [&](Comparison& comparison, const std::vector<double>& y, const std::vector<double>& bound) {
    for (std::size_t k = 0; k < y.size(); ++k) comparison.add(k, y[k], entry->answer.y[k], bound[k]);
  };
  Trial trial(subject.plan, entry->inputs);
  const std::vector<double> y = trial.run();

  Verdict worst{.promise = "worst", .made = true};
  note_fault(worst, trial.fault());
  const std::vector<double> worst_case = worst_case_bounds(*subject.plan, *entry);
  Comparison within_worst_case;
  compare(within_worst_case, y, worst_case);
  if (subject.small()) check_repeats(subject, entry->inputs, trial, y, worst);
  if (subject.small() && !subject.plan->dense_views()) {
    Trial spaced(subject.plan, entry->inputs, Spacing::odd);
    compare(within_worst_case, spaced.run(), worst_case);
    if (!spaced.fault().empty()) note_fault(worst, spaced.fault() + ", on views with gaps");
  }
  within_worst_case.conclude(worst, shape, false);

  Verdict likely{.promise = "likely", .made = subject.plan->error_model().likely};
  if (likely.made) {
    Comparison within_likely;
    compare(within_likely, y, likely_bounds(*subject.plan, *entry));
    within_likely.conclude(likely, shape, false);
  }
  return {worst, likely};
}

// Throws Unsupported where the plan's device cannot launch it. What else may be wrong is the row's fault, and is thrown
// again when it runs.
void require_device_can(const Plan& plan) {
  const Place place = plan.request().place;
  if (place.kind != Place::Kind::device) return;
  try {
    device(place).prepare(plan);
  } catch (const Unsupported&) {
    throw;
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

bool CheckResult::passed() const { return std::ranges::all_of(verdicts, &Verdict::kept); }

std::string CheckResult::reproduce() const {
  const Layouts& layouts = request.layouts;
  const std::string threads = request.threads > 0 ? " --threads " + std::to_string(request.threads) : "";
  return "convlens check '" + to_text(request.problem.spec()) + "' --algorithm " + run + " --dtype " +
         std::string(name(request.dtype)) + " --layout " + std::string(name(layouts.x)) + "," +
         std::string(name(layouts.w)) + "," + std::string(name(layouts.y)) + threads + " --seed " +
         std::to_string(seed);
}

CheckResult check(const Algorithm& algorithm, const Request& request, std::uint64_t seed, OracleCache& cache) {
  CheckResult result{.request = complete(algorithm, request), .seed = seed};
  result.run = run_name(algorithm, result.request.options);
  if (const Support support = algorithm.supports(request); !support) {
    result.supported = false;
    result.reason = support.reason;
    return result;
  }
  try {
    const Subject subject{algorithm, algorithm.plan(request), seed, cache};
    require_device_can(*subject.plan);
    result.verdicts.push_back(check_exact(subject.plan, seed, cache));
    for (Verdict& verdict : check_uniform(subject)) result.verdicts.push_back(std::move(verdict));
    result.verdicts.push_back(check_nonfinite(algorithm, request, seed, cache));
  } catch (const Unsupported& none) {  // another GPU, too little memory, or no integers that are exact
    result.supported = false;
    result.reason = result.run + ": " + none.what();
    result.verdicts.clear();
  }
  return result;
}

Verdict check_exact(const std::shared_ptr<const Plan>& plan, std::uint64_t seed, OracleCache& cache) {
  const ExactInputs& exact = plan->error_model().exact;
  const DType dtype = plan->request().dtype;
  Verdict verdict{.promise = "exact", .made = exact.made};
  if (!exact.made) return verdict;
  const auto entry = cache.get(plan->problem(), dtype, {Data::Kind::integers, exact, seed});
  Trial trial(plan, entry->inputs);
  const std::vector<double> y = trial.run();
  note_fault(verdict, trial.fault());

  Comparison comparison;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double right = entry->answer.y[k];
    if (exact.bitwise)
      comparison.add(k, y[k], rounded(dtype, right), 0);
    else
      comparison.add(k, y[k], right, 0.25 + output_rounding(dtype, right));
  }
  comparison.conclude(verdict, plan->problem().y_shape(), true);
  return verdict;
}

Verdict check_worst_case(std::shared_ptr<const Plan> plan, std::uint64_t seed, OracleCache& cache) {
  const auto entry = cache.get(plan->problem(), plan->request().dtype, {Data::Kind::uniform, {}, seed});
  Trial trial(plan, entry->inputs);
  const std::vector<double> y = trial.run(), bound = worst_case_bounds(*plan, *entry);
  Verdict verdict{.promise = "worst", .made = true, .fault = trial.fault()};
  Comparison comparison;
  for (std::size_t k = 0; k < y.size(); ++k) comparison.add(k, y[k], entry->answer.y[k], bound[k]);
  comparison.conclude(verdict, plan->problem().y_shape(), false);
  return verdict;
}

}  // namespace convlens
