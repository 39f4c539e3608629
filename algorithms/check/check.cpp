#include "algorithms/check/check.h"

#include <algorithm>

#include "algorithms/check/bounds.h"
#include "algorithms/check/nonfinite.h"
#include "algorithms/check/trial.h"
#include "algorithms/peers/blas.h"
#include "algorithms/problem/parse.h"

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

double rounded(DType dtype, double value) {
  return visit(dtype, [&]<class T>() { return static_cast<double>(static_cast<T>(value)); });
}

void note_fault(Verdict& verdict, const std::string& fault) {
  if (verdict.fault.empty()) verdict.fault = fault;
}

void note_difference(Verdict& verdict, const std::string& run, const std::string& difference) {
  if (!difference.empty()) note_fault(verdict, run + " gave " + difference);
}

Verdict check_exact(const Subject& subject) {
  const ExactInputs& exact = subject.plan->error_model().exact;
  const Shape shape = subject.problem().y_shape();
  const auto entry = subject.cache.get(subject.problem(), subject.dtype(), {Data::Kind::integers, exact, subject.seed});
  Verdict verdict{.promise = "exact", .made = true};
  Comparison comparison;
  const auto compare = [&](const std::vector<double>& y) {
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double right = entry->answer.y[k];
      if (exact.bitwise)
        comparison.add(k, y[k], rounded(subject.dtype(), right), 0);
      else
        comparison.add(k, y[k], right, 0.25 + output_rounding(subject.dtype(), right));
    }
  };

  Trial trial(subject.plan, entry->inputs);
  const std::vector<double> first = trial.run();
  compare(first);
  const std::vector<double> second = subject.small() ? trial.run() : first;
  note_fault(verdict, trial.fault());
  note_difference(verdict, "a second run", first_difference(second, first, shape));
  if (subject.small()) {
    Trial spaced(subject.plan, entry->inputs, Spacing::odd);
    compare(spaced.run());
    note_fault(verdict, spaced.fault().empty() ? "" : spaced.fault() + ", on views with gaps");
  }
  comparison.conclude(verdict, shape, true);
  return verdict;
}

bool multiplied_by_blas(const Plan& plan) {
  return blas::available() && std::ranges::any_of(plan.notes(), [](const std::string& note) {
    return note.find(blas::name()) != std::string::npos;
  });
}

// Another number of threads than the request's must give the same bits.
void check_threads(const Subject& subject, const Inputs& inputs, const std::vector<double>& y, Verdict& verdict) {
  Request request = subject.plan->request();
  request.threads = request.threads == 1 ? 3 : 1;
  Trial trial(subject.algorithm.plan(request), inputs);
  const std::string run = std::to_string(request.threads) + (request.threads == 1 ? " thread" : " threads");
  const std::vector<double> other = trial.run();
  note_fault(verdict, trial.fault());
  note_difference(verdict, run, first_difference(other, y, subject.problem().y_shape()));
}

// The promises (b) and (c), on one run.
std::vector<Verdict> check_uniform(const Subject& subject) {
  const auto entry = subject.cache.get(subject.problem(), subject.dtype(), {Data::Kind::uniform, {}, subject.seed});
  Trial trial(subject.plan, entry->inputs);
  const std::vector<double> y = trial.run();
  const auto judge = [&](Verdict& verdict, const std::vector<double>& bound) {
    Comparison comparison;
    for (std::size_t k = 0; k < y.size(); ++k) comparison.add(k, y[k], entry->answer.y[k], bound[k]);
    comparison.conclude(verdict, subject.problem().y_shape(), false);
  };

  Verdict worst{.promise = "worst", .made = true};
  note_fault(worst, trial.fault());
  if (subject.small() && !multiplied_by_blas(*subject.plan)) check_threads(subject, entry->inputs, y, worst);
  judge(worst, worst_case_bounds(*subject.plan, *entry));

  Verdict likely{.promise = "likely", .made = subject.plan->error_model().likely};
  if (likely.made) judge(likely, likely_bounds(*subject.plan, *entry));
  return {worst, likely};
}

}  // namespace

bool CheckResult::passed() const { return std::ranges::all_of(verdicts, &Verdict::kept); }

std::string CheckResult::reproduce() const {
  const Layouts& layouts = request.layouts;
  return "convlens check '" + to_text(request.problem.spec()) + "' --algorithm " + run + " --dtype " +
         std::string(name(request.dtype)) + " --layout " + std::string(name(layouts.x)) + "," +
         std::string(name(layouts.w)) + "," + std::string(name(layouts.y)) +
         (request.threads > 0 ? " --threads " + std::to_string(request.threads) : "") + " --seed " + std::to_string(seed);
}

CheckResult check(const Algorithm& algorithm, const Request& request, std::uint64_t seed, OracleCache& cache) {
  CheckResult result{.request = complete(algorithm, request), .seed = seed};
  result.run = run_name(algorithm, result.request.options);
  if (const Support support = algorithm.supports(request); !support) {
    result.supported = false;
    result.reason = support.reason;
    return result;
  }
  const Subject subject{algorithm, algorithm.plan(request), seed, cache};
  result.verdicts.push_back(check_exact(subject));
  for (Verdict& verdict : check_uniform(subject)) result.verdicts.push_back(std::move(verdict));
  result.verdicts.push_back(check_nonfinite(algorithm, request, seed, cache));
  return result;
}

}  // namespace convlens
