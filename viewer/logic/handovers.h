// Where the fastest of a sweep's curves hands over to another, so that both have been seen to lead.
#pragma once

#include <string>
#include <vector>

namespace convlens::viewer {

// Over what is swept, in TFLOPS: the rate at the median of the times, and at their third and first quartile.
struct SweepCurve {
  std::string run;
  std::vector<double> values, median, low, high;
};

struct Handover {
  double value;
  std::string from, to;
  bool about;  // between the values next to it the bands still lie over each other, and part only farther away
};

// Only the fastest matter: where the highest median changes from one curve to another at two neighbours of `values`.
// The spread must not be all that there is to it: somewhere below, `from` has its whole band above that of `to`, and
// somewhere above it is the other way round, and the two have no other order between. Such a change is found once, at
// its first crossing of the medians.
std::vector<Handover> handovers(const std::vector<SweepCurve>& curves, const std::vector<double>& values);

}  // namespace convlens::viewer
