#include "tests/support/conv_tester.h"

#include <algorithm>
#include <cmath>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
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

std::vector<double> counted(const Shape& shape, double first) {
  std::vector<double> values(static_cast<std::size_t>(elements(shape)));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = first + static_cast<double>(k);
  return values;
}

// What is wrong with the way a request was refused, or "".
std::string refusal_complaint(const Variant& variant, const Request& request, const Support& support, const std::string& word) {
  if (support.reason.empty()) return "refused without a reason";
  if (support.reason.find('\n') != std::string::npos) return "refused in more than one line: " + support.reason;
  if (support.reason.find(word) == std::string::npos) return "refused without the word '" + word + "': " + support.reason;
  if (support.nearest && !variant.row->supports(*support.nearest))
    return "its nearest request would not run either: " + variant.row->supports(*support.nearest).reason;
  try {
    variant.row->plan(request);
  } catch (const Unsupported& refusal) {
    return refusal.what() == support.reason ? "" : std::string("plan and supports disagree: ") + refusal.what();
  }
  return "supports refuses and plan does not: " + support.reason;
}

}  // namespace

Filler drawn(std::uint64_t seed, std::int64_t most) {
  return [=](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const auto counter = static_cast<std::uint64_t>(((a * 1024 + b) * 1024 + c) * 1024 + d);
    return static_cast<double>(random_integer(seed, counter, -most, most));
  };
}

std::vector<Layouts> all_layouts() {
  std::vector<Layouts> all;
  for (Layout x : kLayouts)
    for (FilterLayout w : kFilterLayouts)
      for (Layout y : kLayouts) all.push_back({x, w, y});
  return all;
}

std::vector<Layouts> uniform_layouts() {
  return {{Layout::NCHW, FilterLayout::OIHW, Layout::NCHW},
          {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC},
          {Layout::CHWN, FilterLayout::OHWI, Layout::CHWN}};
}

ConvCase& ConvCase::input(std::int64_t n, std::int64_t ci, std::int64_t hi, std::int64_t wi) {
  spec_.n = n, spec_.ci = ci, spec_.hi = hi, spec_.wi = wi;
  return *this;
}
ConvCase& ConvCase::filter(std::int64_t co, std::int64_t hf, std::int64_t wf) {
  spec_.co = co, spec_.hf = hf, spec_.wf = wf;
  return *this;
}
ConvCase& ConvCase::stride(std::int64_t h, std::int64_t w) {
  spec_.stride_h = h, spec_.stride_w = w;
  return *this;
}
ConvCase& ConvCase::pad(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  spec_.pad_top = top, spec_.pad_bottom = bottom, spec_.pad_left = left, spec_.pad_right = right;
  return *this;
}
ConvCase& ConvCase::dilation(std::int64_t h, std::int64_t w) {
  spec_.dilation_h = h, spec_.dilation_w = w;
  return *this;
}
ConvCase& ConvCase::groups(std::int64_t groups) {
  spec_.groups = groups;
  return *this;
}
ConvCase& ConvCase::layer(const ConvSpec& spec) {
  spec_ = spec;
  return *this;
}

ConvCase& ConvCase::x(Filler value) {
  x_ = [=](const Shape& shape) { return rounded_values(DType::f64, shape, value); };
  return *this;
}
ConvCase& ConvCase::w(Filler value) {
  w_ = [=](const Shape& shape) { return rounded_values(DType::f64, shape, value); };
  return *this;
}
ConvCase& ConvCase::w(std::vector<double> values) {
  w_ = [=](const Shape&) { return values; };
  return *this;
}
ConvCase& ConvCase::x_counts_from(double first) {
  x_ = [=](const Shape& shape) { return counted(shape, first); };
  return *this;
}
ConvCase& ConvCase::w_counts_from(double first) {
  w_ = [=](const Shape& shape) { return counted(shape, first); };
  return *this;
}
ConvCase& ConvCase::bias(std::function<double(std::int64_t)> value) {
  spec_.bias = true;
  bias_ = std::move(value);
  return *this;
}

ConvCase& ConvCase::in(std::vector<DType> dtypes) {
  dtypes_ = std::move(dtypes);
  return *this;
}
ConvCase& ConvCase::layouts(std::vector<Layouts> layouts) {
  layouts_ = std::move(layouts);
  return *this;
}
ConvCase& ConvCase::of(std::function<bool(const Algorithm&)> rows) {
  rows_ = std::move(rows);
  return *this;
}
ConvCase& ConvCase::x_lies(Strides strides, std::int64_t offset) {
  x_arrangement_ = Arrangement{offset, 0, strides, "given"};
  return *this;
}
ConvCase& ConvCase::views_strided(std::uint64_t seed) {
  views_seed_ = seed;
  return *this;
}

ConvCase& ConvCase::expect(std::function<void(const Reference&)> assertion) {
  expectations_.push_back(std::move(assertion));
  return *this;
}
ConvCase& ConvCase::expect_shape(std::int64_t n, std::int64_t co, std::int64_t ho, std::int64_t wo) {
  return expect([=](const Reference& r) { CHECK(r.problem.y_shape() == Shape{n, co, ho, wo}); });
}
ConvCase& ConvCase::expect_values(std::vector<double> y) {
  return expect([y = std::move(y)](const Reference& r) { CHECK(r.y == y); });
}
ConvCase& ConvCase::expect_starts_with(std::vector<double> y) {
  return expect([y = std::move(y)](const Reference& r) {
    CHECK(std::vector<double>(r.y.begin(), r.y.begin() + static_cast<std::ptrdiff_t>(y.size())) == y);
  });
}
ConvCase& ConvCase::expect_all(double value) {
  return expect([=](const Reference& r) { CHECK(r.y == std::vector<double>(r.y.size(), value)); });
}
ConvCase& ConvCase::expect_sums(double s1, double s2) {
  return expect([=](const Reference& r) {
    CHECK(check_sums(r.y).s1 == s1);
    CHECK(check_sums(r.y).s2 == s2);
  });
}
ConvCase& ConvCase::expect_at(std::int64_t flat, double value) {
  return expect([=](const Reference& r) { CHECK(r.y.at(static_cast<std::size_t>(flat)) == value); });
}
ConvCase& ConvCase::expect_largest(double magnitude) {
  return expect([=](const Reference& r) {
    double largest = 0;
    for (double y : r.y) largest = std::max(largest, std::abs(y));
    CHECK(largest == magnitude);
  });
}
ConvCase& ConvCase::may_refuse(const std::string& family, const std::string& word) {
  may_refuse_[family] = word;
  return *this;
}
ConvCase& ConvCase::within(double tolerance) {
  tolerance_ = tolerance;
  return *this;
}
ConvCase& ConvCase::half_as_promised() {
  half_as_promised_ = true;
  return *this;
}

Reference ConvCase::reference(const ConvProblem& problem, DType dtype) const {
  const auto of_type = [&](std::vector<double> values) {
    for (double& value : values) value = rounded(dtype, value);
    return values;
  };
  std::vector<double> bias;
  for (std::int64_t o = 0; problem.bias() && o < problem.co(); ++o) bias.push_back(bias_(o));
  return {problem, dtype, of_type(x_(problem.x_shape())), of_type(w_(problem.w_shape())), of_type(bias)};
}

Arrangements ConvCase::arrangements(const Request& request) const {
  Arrangements at = Arrangements::of(request);
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

// What is wrong when `plan` computes the case, and, where `on_two` is given, when that plan for two threads does.
std::string ConvCase::complaint(const Plan& plan, const Plan* on_two, const Reference& reference, const Judge& judge) const {
  const Arrangements at = arrangements(plan.request());
  const RunInputs inputs(reference, at.x, at.w);
  const RunResult one = run_twice(plan, inputs, at.y);
  std::string complaint = one.complaint + judge.complaint(one.y);
  if (on_two && !same(one.y, run_twice(*on_two, inputs, at.y).y)) complaint += " (two threads gave something else than one)";
  if (!inputs.untouched()) complaint += " (changed its inputs)";
  return complaint;
}

void ConvCase::assert_row(const Algorithm& row, const std::vector<Reference>& references) const {
  constexpr int kShown = 3;
  int runs = 0, wrong = 0;
  std::string shown;
  const auto note = [&](const Variant& variant, const Request& request, const std::string& complaint) {
    if (!complaint.empty() && wrong++ < kShown) shown += "\n" + described(variant, request) + complaint;
  };
  const auto allowed = may_refuse_.find(row.family);
  for (const Variant& variant : variants(row))
    for (const Reference& reference : references) {
      std::optional<Judge> judge;
      for (const Layouts& layouts : layouts_) {
        Request request{reference.problem, reference.dtype, layouts, variant.options, Place{}, 1};
        if (const Support support = row.supports(request); !support) {
          note(variant, request, allowed == may_refuse_.end() ? "must not refuse: " + support.reason
                                                               : refusal_complaint(variant, request, support, allowed->second));
          continue;
        }
        ++runs;
        const auto plan = row.plan(request);
        if (plan->run_name() != variant.name()) note(variant, request, "its result would be labelled " + plan->run_name());
        std::shared_ptr<const Plan> on_two;  // for the first layouts only: waking threads takes longer than these layers
        if (!judge) {
          const bool free = half_as_promised_ && size_of(reference.dtype) == 2;
          judge.emplace(*plan, reference, free ? kNoLimit : tolerance_);
          request.threads = 2;
          on_two = row.plan(request);
        }
        note(variant, request, complaint(*plan, on_two.get(), reference, *judge));
      }
    }
  INFO(row.id << ": " << wrong << " of its runs or refusals are wrong" << shown);
  CHECK(wrong == 0);
  if (allowed == may_refuse_.end()) CHECK(runs > 0);
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
  for (const Algorithm* row : cpu_rows()) {
    if (rows_ && !rows_(*row)) continue;
    assert_row(*row, references);
    ++rows;
  }
  CHECK(rows >= 1);
}

}  // namespace convlens::testing
