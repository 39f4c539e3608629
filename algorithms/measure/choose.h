// Which row to take for a layer: by a stated model, or by measuring.
//
//   t = max(F / (e·P), B / M) + T / (s·M)
//
//   F  executed FLOPs                          P  the machine's multiply-adds a second, measured (machine.h)
//   B  bytes of x, w, bias and y               M  its memory's bytes a second, measured; kWarm times that for a layer
//   T  bytes of the workspace, written once       that stays in the last-level cache
//      and read once: what packing, copying    e, s  the row's efficiency in arithmetic and in moving what it
//      and transforming move                         transforms: data, in rows.model, with the run they are from
//
// The first term is the roofline: Williams, Waterman & Patterson, "Roofline: an insightful visual performance model for
// multicore architectures", 2009. What a row transforms comes on top, because it is done before or after.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/machine.h"
#include "algorithms/measure/refusals.h"
#include "algorithms/measure/ruler.h"

namespace convlens {

// A line of rows.model: a run, the layers that it holds for, and e and s.
struct RowModel {
  Run run;
  std::optional<Layout> x;        // in this layout only
  std::optional<bool> depthwise;  // layers with one input channel a group only, or only others
  double efficiency = 0, transform = 0;

  bool fits(const Request& request) const;
};
const std::vector<RowModel>& row_models();

// What rows.model calls depthwise.
bool one_channel_a_group(const ConvProblem& problem);

struct Estimate {
  double arithmetic_ms = 0, memory_ms = 0, transform_ms = 0;  // F / (e·P), B / M, T / (s·M)
  double roofline_ms = 0;                                     // the first term with e = 1

  double ms() const { return std::max(arithmetic_ms, memory_ms) + transform_ms; }

  // The largest of the three: "arithmetic", "memory" or "packing and transforms"; below 10 µs "the call itself".
  std::string bound() const;
};
Estimate estimate(const Plan& plan, const RowModel& model, const Ceilings& ceilings);

struct Candidate {
  std::shared_ptr<const Plan> plan;
  std::optional<Estimate> estimate = {};                          // none for a run without a model, or without work
  std::string no_model = {};                                      // of what there is no model: "pack=off"; or ""
  std::shared_ptr<const Plan> instead_of = {};                    // the run that needs too much memory; or none
  double measured_ms = std::numeric_limits<double>::quiet_NaN();  // the least of its samples; NaN when not measured
  Timing timing = {};                                             // all of them
  std::string left_out = {};                                      // why it was not measured to the end, or ""
};

// The runs worth a look on this machine: those of rows.model, and every other row with its defaults and with each other
// value of the options that are no ablations. Ablations are slower, and looked at where they save memory that is short.
std::vector<Run> runs_to_choose_from();

struct Choice {
  std::vector<Candidate> ranked;  // by the model; runs without a model come last
  Refusals refused;               // why others of the runs do not compute the request

  // Where a memory limit keeps all runs out: the plan that would fit the smallest limit.
  std::shared_ptr<const Plan> smallest;
};

// What there is among `runs` for the request, whose own options do not matter. A run that exceeds the memory limit is
// looked at with other values of those options that it has at their defaults (lighter.h).
Choice candidates(const std::vector<Run>& runs, const Request& request);

// Left out are those of which the model expects `hopeless` times the best, and those that have had their chance, in
// `chance` seconds, and are `hopeless` times behind the best sample, or `behind` times after three calls. A busy
// machine disturbs single calls by far more than rows differ: short calls get many.
struct ContestOptions {
  int repeats = 10;      // at least so many samples of each that stays in
  double seconds = 0.5;  // and at least so long, all together
  double hopeless = 8, behind = 1.5, chance = 0.05;
  std::function<bool()> stop = {};
};

// Measures the candidates interleaved, a call of each in turn, and ranks them by their least sample: on a busy machine
// a disturbed sample says nothing about its row. Those left out come last, in the order of the model. Throws Unsupported
// where all of them, which are ready to run at the same time, exceed the machine's memory.
void measure(std::vector<Candidate>& candidates, const ContestOptions& options);

// What the ruler advises on the samples of any of them; "" where they agree.
std::string advice_on_waiting(const std::vector<Candidate>& candidates);

}  // namespace convlens
