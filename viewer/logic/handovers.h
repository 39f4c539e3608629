// Where the fastest of a sweep's curves hands over to another, so that both have been seen to lead.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viewer/logic/comparisons.h"

namespace convlens::viewer {

// Over what is swept, in TFLOPS: the rate at the median of the times, and at their third and first quartile. All points
// of a curve are from one source: one run whose points are from several has a curve of each.
struct SweepCurve {
  std::string run;
  std::vector<double> values, median, low, high;
  std::string made_on = {};  // of records; "" for what was measured
};

// What `known` has of the sweeps, null for nothing.
std::vector<SweepCurve> sweep_curves(const std::vector<Sweep>& sweeps,
                                     const std::function<const Curve*(const worker::Job&)>& known);

struct Handover {
  double value;
  std::string from, to;
  bool about;  // between the values next to it the bands still lie over each other, and part only farther away
};

// Only the fastest matter: where the highest median changes from one curve to another at two neighbours of `values`.
// The spread must not be all that there is to it: somewhere below, `from` has its whole band above that of `to`, and
// somewhere above it is the other way round, and the two have no other order between. Such a change is found once, at
// its first crossing of the medians. Curves of different sources are not compared: another machine is another leader.
std::vector<Handover> handovers(const std::vector<SweepCurve>& curves, const std::vector<double>& values);

}  // namespace convlens::viewer
