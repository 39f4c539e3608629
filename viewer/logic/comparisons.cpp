#include "viewer/logic/comparisons.h"

#include <algorithm>
#include <cmath>

#include "algorithms/error.h"

namespace convlens::viewer {

namespace {

using worker::Job;

// Of a vendor's row only its rules are asked: its library may time all its engines before it answers. What it cannot do
// the worker refuses.
bool computes(const Run& run, const Job& job) {
  const Algorithm& row = *run.algorithm;
  const Request request = complete(row, {ConvProblem(job.spec), job.dtype, job.layouts, run.options});
  if (!row.vendor) return static_cast<bool>(row.supports(request));
  if (row.missing && !row.missing().empty()) return false;
  return std::ranges::none_of(row.rules, [&](const Rule& rule) { return rule.refuse(request).has_value(); });
}

// A vendor's library by whichever algorithm it chooses.
bool is_vendors_choice(const Algorithm& row) {
  return row.vendor && (row.id.ends_with(".auto") || row.id.ends_with(".best"));
}

// Nothing when no row has this name and these options.
std::optional<Run> run_named(const std::string& run) {
  try {
    return parse_run(run);
  } catch (const BadInput&) {
    return std::nullopt;
  }
}

// The lowering as it is usually done, with a BLAS: the first of its family there.
const Algorithm* im2col_with_blas(bool on_cpu) {
  for (const Algorithm* row : algorithms())
    if (row->family == "im2col" && (row->unit == Unit::cpu) == on_cpu) return row;
  return nullptr;
}

// Of what the sweep varies: the values, and the layer at one of them, padded so that its outputs stay what they were.
const std::vector<std::int64_t>& values_of(const std::string& swept) {
  static const std::vector<std::int64_t> batches{1, 2, 4, 8, 16}, channels{4, 8, 16, 32, 64, 128, 256},
      sizes{7, 14, 28, 56, 112}, filters{1, 3, 5, 7, 9, 11}, strides{1, 2, 3, 4};
  if (swept == "n") return batches;
  if (swept == "size") return sizes;
  if (swept == "filter") return filters;
  return swept == "stride" ? strides : channels;
}

ConvSpec at_value(ConvSpec spec, const std::string& swept, std::int64_t value) {
  if (swept == "n") spec.n = value;
  if (swept == "c_i") spec.ci = value;
  if (swept == "c_o") spec.co = value;
  if (swept == "size") spec.hi = spec.wi = value;
  if (swept == "stride") spec.stride_h = spec.stride_w = value;
  if (swept == "filter") {
    spec.hf = spec.wf = value;
    spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = value / 2;
  }
  return spec;
}

}  // namespace

Job job_of(const State& state, const std::string& run) {
  return {.layer = state.layer,
          .spec = state.spec,
          .run = run,
          .dtype = state.dtype,
          .layouts = state.layouts,
          .kernel_alone = state.performance.timed == "kernel",
          .cold_cache = state.performance.timed == "cold",
          .seed = state.seed};
}

std::optional<Run> live_run(const State& state) { return run_named(state.performance.run); }

std::vector<const Option*> switches(const Algorithm& row) {
  std::vector<const Option*> all;
  for (const Option& option : row.options)
    if (option.ablation && option.values.size() > 1) all.push_back(&option);
  return all;
}

std::vector<Change> changes(const State& state) {
  const auto run = live_run(state);
  if (!run) return {};
  std::vector<Change> all{{nullptr, "", job_of(state, run_name(*run->algorithm, run->options))}};
  for (const Option* option : switches(*run->algorithm))
    for (const std::string& value : option->values) {
      if (run->options.is(option->id, value)) continue;
      Run other = *run;
      other.options.set(option->id, value);
      const Job job = job_of(state, run_name(*other.algorithm, other.options));
      if (computes(other, job)) all.push_back({option, value, job});
    }
  return all;
}

std::vector<Job> peers(const State& state) {
  const auto run = live_run(state);
  if (!run) return {};
  const bool on_cpu = run->algorithm->unit == Unit::cpu;
  std::vector<Job> jobs;
  for (const Algorithm* row : algorithms()) {
    if ((row->unit == Unit::cpu) != on_cpu || !(is_vendors_choice(*row) || row == im2col_with_blas(on_cpu))) continue;
    const Job job = job_of(state, row->id);
    if (computes(parse_run(row->id), job)) jobs.push_back(job);
  }
  return jobs;
}

std::vector<Job> rows_of_unit(const State& state) {
  const auto run = live_run(state);
  if (!run) return {};
  std::vector<Job> jobs{job_of(state, run_name(*run->algorithm, run->options))};
  const auto unit = run->algorithm->unit_for(state.dtype);
  const auto add = [&](const Run& other) {
    const Algorithm* row = other.algorithm;
    // The readable references are for reading.
    if (row->unit_for(state.dtype) != unit || (row->id.ends_with(".ref") && row != im2col_with_blas(true))) return;
    const Job job = job_of(state, run_name(*row, other.options));
    if (std::ranges::find(jobs, job.run, &Job::run) == jobs.end() && computes(other, job)) jobs.push_back(job);
  };
  for (const std::string& chosen : state.runs)
    if (const auto other = run_named(chosen)) add(*other);
  for (const Algorithm* row : algorithms()) add(parse_run(row->id));
  return jobs;
}

std::vector<Sweep> sweeps(const State& state) {
  std::vector<Sweep> all;
  for (const Job& base : rows_of_unit(state)) {
    const Run run = parse_run(base.run);
    if (run.algorithm->family == "cudnn" && !is_vendors_choice(*run.algorithm)) continue;  // which is one of them
    Sweep sweep{base.run, {}, {}};
    for (const std::int64_t value : values_of(state.performance.swept)) {
      Job job = base;
      job.spec = at_value(base.spec, state.performance.swept, value);
      job.layer.clear();
      if (!broken_rules(job.spec).empty() || !computes(run, job)) continue;
      sweep.values.push_back(value);
      sweep.jobs.push_back(job);
    }
    all.push_back(std::move(sweep));
  }
  return all;
}

std::optional<Comparisons> comparisons(const State& state) {
  const auto run = live_run(state);
  if (!run) return std::nullopt;
  return Comparisons{*run,
                     job_of(state, run_name(*run->algorithm, run->options)),
                     changes(state),
                     peers(state),
                     rows_of_unit(state),
                     sweeps(state)};
}

std::vector<Job> Comparisons::wanted(const std::string& chart) const {
  std::vector<Job> jobs;
  if (chart == "live") {
    for (const Change& change : changes) jobs.push_back(change.job);
    jobs.insert(jobs.end(), peers.begin(), peers.end());
  } else if (chart == "roofline") {
    jobs = rows;
  } else {
    // Value by value, so that all curves grow side by side.
    for (std::size_t k = 0; std::ranges::any_of(sweeps, [&](const Sweep& s) { return k < s.jobs.size(); }); ++k)
      for (const Sweep& sweep : sweeps)
        if (k < sweep.jobs.size()) jobs.push_back(sweep.jobs[k]);
  }
  return jobs;
}

const Curve* known(const Study& study, const Records& records, const Job& job) {
  const Curve* measured = study.find(job);
  return measured != nullptr && !measured->line.ms.empty() ? measured : records.find(job);
}

double on_line(const std::vector<double>& values, const std::vector<double>& rates, double value) {
  const auto after = std::ranges::lower_bound(values, value);
  if (after == values.end() || (after == values.begin() && *after != value)) return std::nan("");
  const auto k = static_cast<std::size_t>(after - values.begin());
  if (*after == value) return rates[k];
  const double part = std::log(value / values[k - 1]) / std::log(values[k] / values[k - 1]);
  return rates[k - 1] + (rates[k] - rates[k - 1]) * part;
}

std::vector<double> crossovers(const std::vector<double>& values, const std::vector<double>& a,
                               const std::vector<double>& b) {
  std::vector<double> crossings;
  double value = 0, before = std::nan("");
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double now = a[k] - b[k];
    if (!std::isfinite(now)) continue;
    if (before * now < 0)
      crossings.push_back(
          std::exp(std::log(value) + (std::log(values[k]) - std::log(value)) * before / (before - now)));
    if (now != 0) before = now, value = values[k];
  }
  return crossings;
}

Roof roof_of(const worker::Ceilings& ceilings, Unit unit, DType dtype) {
  const DType of = unit == Unit::tc ? DType::f16 : DType::f32;
  const std::string known(name(of));
  return {of == DType::f16 ? ceilings.f16_tflops : ceilings.f32_tflops,
          of == dtype ? known : known + ", of " + std::string(name(dtype)) + " none is known"};
}

double intensity(std::int64_t flops, const Job& job) {
  const Request request{ConvProblem(job.spec), job.dtype, job.layouts};
  return static_cast<double>(flops) / static_cast<double>(std::max<std::int64_t>(1, request.tensor_bytes()));
}

}  // namespace convlens::viewer
