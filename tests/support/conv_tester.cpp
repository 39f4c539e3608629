// How a ConvCase is run: every row, variant, type and set of layouts.
#include "tests/support/conv_tester.h"

#include <algorithm>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/plan_run.h"

namespace convlens::testing {

namespace {

std::string text(const Layouts& l) {
  return std::string(name(l.x)) + "/" + std::string(name(l.w)) + "/" + std::string(name(l.y));
}

std::string described(const Variant& variant, const Request& request) {
  return variant.name() + " " + std::string(name(request.dtype)) + " " + text(request.layouts) + ": ";
}

// References compute every type; a fast row may be made for f32 alone, and tensor cores take no f32.
bool may_refuse_type(const Algorithm& row, DType dtype) {
  return !row.id.ends_with(".ref") && (dtype != DType::f32 || row.unit == Unit::tc);
}

// What is wrong with the way a request was refused, or "".
std::string refusal_complaint(const Variant& variant, const Request& request, const Support& support,
                              const std::string& word) {
  if (support.reason.empty()) return "refused without a reason";
  if (support.reason.find('\n') != std::string::npos) return "refused in more than one line: " + support.reason;
  if (support.reason.find(word) == std::string::npos)
    return "refused without the word '" + word + "': " + support.reason;
  if (support.nearest && !variant.row->supports(*support.nearest))
    return "its nearest request would not run either: " + variant.row->supports(*support.nearest).reason;
  try {
    variant.row->plan(request);
  } catch (const Unsupported& refusal) {
    return refusal.what() == support.reason ? "" : std::string("plan and supports disagree: ") + refusal.what();
  }
  return "supports refuses and plan does not: " + support.reason;
}

// The same with sizes at run time, so that the kernels of a GPU are compiled once for all cases.
Variant sizes_at_run_time(Variant variant) {
  const bool has_sizes = std::ranges::any_of(variant.row->options, [](const Option& o) { return o.id == "sizes"; });
  if (has_sizes) variant.options.set("sizes", "runtime");
  return variant;
}

// Tiles of more than five points an axis, with V and U in 16 bits, lose more than the cases allow. Who asks for them by
// name is held to what the row promises (kernels/PERFORMANCE.md).
bool asks_for_fewer_digits(const Variant& variant) {
  return variant.row->id == "winograd.tc" && !variant.options.is("m", "auto") && variant.options.integer("m") > 3;
}

}  // namespace

Reference ConvCase::reference(const ConvProblem& problem, DType dtype) const {
  const auto of_type = [&](std::vector<double> values) {
    for (double& value : values) value = rounded(dtype, value);
    return values;
  };
  std::vector<double> bias;
  for (std::int64_t o = 0; problem.bias() && o < problem.co(); ++o) bias.push_back(bias_(o));
  return {problem, dtype, of_type(x_(problem.x_shape())), of_type(w_(problem.w_shape())), of_type(bias)};
}

Arrangements ConvCase::arrangements(const Plan& plan) const {
  const Request& request = plan.request();
  Arrangements at = Arrangements::of(request);
  if (plan.dense_views()) return at;
  if (views_seed_) {
    at.x = strided(request.problem.x_shape(), 3 * *views_seed_);
    at.w = strided(request.problem.w_shape(), 3 * *views_seed_ + 1);
    at.y = strided(request.problem.y_shape(), 3 * *views_seed_ + 2);
  }
  if (x_arrangement_) {
    at.x = *x_arrangement_;
    at.x.length = elements(request.problem.x_shape());
  }
  return at;
}

// What is wrong when `plan` computes the case, and, where `on_two` is given, when that plan for two threads
// does.
std::string ConvCase::complaint(const Plan& plan, const Plan* on_two, const Reference& reference,
                                const Judge& judge) const {
  const Arrangements at = arrangements(plan);
  const RunInputs inputs(reference, at.x, at.w);
  const RunResult one = run_twice(plan, inputs, at.y);
  std::string complaint = one.complaint + judge.complaint(one.y);
  if (on_two && !same(one.y, run_twice(*on_two, inputs, at.y).y))
    complaint += " (two threads gave something else than one)";
  if (!inputs.untouched()) complaint += " (changed its inputs)";
  return complaint;
}

std::vector<ConvCase::Trial> ConvCase::trials(const Algorithm& row) const {
  if (row.unit != Unit::cpu) return trials_on_gpu(row);
  std::vector<Trial> all;
  for (const Variant& variant : by_option_pairs_ ? variants_by_pairs(row) : variants(row))
    all.push_back({variant, layouts_});
  return all;
}

std::vector<ConvCase::Trial> ConvCase::trials_on_gpu(const Algorithm& row) const {
  const std::size_t place = place_.value_or(0);
  if (place % 4 != 0) return {};
  const std::vector<Variant> all = variants(row);
  const std::size_t others = all.size() - 1;
  std::size_t turn = place / 4 + static_cast<std::size_t>(spec_.hi + 3 * spec_.wi + 5 * spec_.co);
  const auto one_layout = [&] { return std::vector{layouts_[turn % layouts_.size()]}; };
  const bool many = layouts_.size() > uniform_layouts().size();
  std::vector<Trial> chosen{{all.front(), place_ ? one_layout() : many ? uniform_layouts() : layouts_}};
  for (const std::size_t end = turn + std::min(others, std::size_t{place_ ? 1U : 4U}); turn < end; ++turn)
    chosen.push_back({sizes_at_run_time(all[1 + turn % others]), one_layout()});
  return chosen;
}

void ConvCase::assert_row(const Algorithm& row, const std::vector<Reference>& references) const {
  constexpr int kShown = 3;
  int runs = 0, wrong = 0;
  std::string shown;
  const auto note = [&](const Variant& variant, const Request& request, const std::string& complaint) {
    if (!complaint.empty() && wrong++ < kShown) shown += "\n" + described(variant, request) + complaint;
  };
  const auto allowed = may_refuse_.find(row.family);
  const std::vector<Trial> tried = trials(row);
  for (const auto& [variant, layouts_tried] : tried) {
    for (const Reference& reference : references) {
      std::optional<Judge> judge;
      for (const Layouts& layouts : layouts_tried) {
        Request request{reference.problem, reference.dtype, layouts, variant.options, Place{}, 1};
        if (const Support support = row.supports(request); !support) {
          const bool free = row.unit != Unit::cpu;  // a row on a GPU may have limits of its own, in words
          if (may_refuse_type(row, reference.dtype)) {
            note(variant, request, refusal_complaint(variant, request, support, free ? "" : "dtype"));
            continue;
          }
          note(variant, request,
               allowed == may_refuse_.end() && !free
                   ? "must not refuse: " + support.reason
                   : refusal_complaint(variant, request, support, free ? "" : allowed->second));
          continue;
        }
        ++runs;
        const auto plan = row.plan(request);
        if (plan->run_name() != variant.name())
          note(variant, request, "its result would be labelled " + plan->run_name());
        std::shared_ptr<const Plan>
            on_two;  // for the first layouts only: waking threads takes longer than these layers
        if (!judge) {
          const bool promised = half_as_promised_ && (half_as_promised_->empty() || *half_as_promised_ == row.id);
          const bool free = size_of(reference.dtype) == 2 && (promised || asks_for_fewer_digits(variant));
          judge.emplace(*plan, reference, free ? kNoLimit : tolerance_);
          request.threads = 2;
          if (row.unit == Unit::cpu) on_two = row.plan(request);
        }
        note(variant, request, complaint(*plan, on_two.get(), reference, *judge));
      }
    }
  }
  INFO(row.id << ": " << wrong << " of its runs or refusals are wrong" << shown);
  CHECK(wrong == 0);
  const bool some_type = std::ranges::any_of(dtypes_, [&](DType dtype) { return !may_refuse_type(row, dtype); });
  if (allowed == may_refuse_.end() && some_type && !tried.empty() && (row.unit == Unit::cpu || !row.vendor))
    CHECK(runs > 0);
}

void ConvCase::holds() const {
  const ConvProblem problem(spec_);
  std::vector<Reference> references;
  for (DType dtype : dtypes_) {
    references.push_back(reference(problem, dtype));
    INFO("the definition, on inputs of type " << name(dtype));
    for (const auto& expectation : expectations_) expectation(references.back());
  }
  int rows = 0;
  for (const Algorithm* row : rows_here()) {
    if (row->vendor || (rows_ && !rows_(*row)) || !wanted_here(*row)) continue;
    assert_row(*row, references);
    ++rows;
  }
  if (!narrowed()) CHECK(rows >= 1);
}

}  // namespace convlens::testing
