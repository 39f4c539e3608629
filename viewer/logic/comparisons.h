// What the Performance panel compares: the live run, the same without one of its options at a time, peers, all rows of
// its unit, and a sweep of one size; and where curves of a sweep cross.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/registry.h"
#include "viewer/logic/recorded.h"
#include "viewer/logic/state.h"
#include "viewer/logic/study.h"

namespace convlens::viewer {

// The job that measures `run` as the state has everything else.
worker::Job job_of(const State& state, const std::string& run);

// The live run; nothing when no row has this name and these options.
std::optional<Run> live_run(const State& state);

// One bar of the waterfall: the live run, or that with one of its ablation options changed.
struct Change {
  const Option* option = nullptr;  // null for the live run itself
  std::string value;               // that the option is changed to
  worker::Job job;
};
std::vector<Change> changes(const State& state);

// The options that are switches, "all on" being their defaults.
std::vector<const Option*> switches(const Algorithm& row);

// Other people's ways on the same unit, where they compute the layer: the lines to be compared with.
std::vector<worker::Job> peers(const State& state);

// As the roofline has them: the live run, then the chosen runs of its unit with their options, then every other row of
// the unit, each where it computes the layer.
std::vector<worker::Job> rows_of_unit(const State& state);

// One curve of a sweep: a run at every value of what is swept.
struct Sweep {
  std::string run;
  std::vector<std::int64_t> values;
  std::vector<worker::Job> jobs;  // as many
};
std::vector<Sweep> sweeps(const State& state);

// All of these of one state, for a live run that is a row's.
struct Comparisons {
  Run run;
  worker::Job job;  // that measures it
  std::vector<Change> changes;
  std::vector<worker::Job> peers, rows;
  std::vector<Sweep> sweeps;

  // What the chart needs measured, in the order in which it is best seen.
  std::vector<worker::Job> wanted(const std::string& chart) const;
};
std::optional<Comparisons> comparisons(const State& state);

// What is known of a job: measured, or else recorded; null for nothing.
const Curve* known(const Study& study, const Records& records, const worker::Job& job);

// Curves of a sweep are drawn as straight lines from value to value over a scale of logarithms, their rates on a linear
// one. What is read off them is read off these lines.
//
// The rate of such a curve at `value`; NaN outside of its values.
double on_line(const std::vector<double>& values, const std::vector<double>& rates, double value);

// Where two curves over the same values change places; values without a number are left out.
std::vector<double> crossovers(const std::vector<double>& values, const std::vector<double>& a,
                               const std::vector<double>& b);

// Operations a byte that x, w, bias and y have: the abscissa of the roofline.
double intensity(std::int64_t flops, const worker::Job& job);

// What the unit can do at most, as the roofline draws it, and of which type that is. Ceilings are measured of f32, and
// of f16 on tensor cores; over another type the unit's f32 is drawn, and said to be another's.
struct Roof {
  double tflops = 0;  // 0: not known
  std::string says;   // "f32", "f32, of f64 none is known"
};
Roof roof_of(const worker::Ceilings& ceilings, Unit unit, DType dtype);

}  // namespace convlens::viewer
