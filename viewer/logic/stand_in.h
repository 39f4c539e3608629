// Recorded runs in the place of those that cannot be measured: where a machine has no GPU, and in pictures, which
// measure nothing unless they are told to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/comparisons.h"

namespace convlens::viewer {

// Why the live run is not being measured and will not be; "" where it is, or may still be.
std::string why_not_measured(const Study& study);

// Whether recorded runs stand in: where nothing is measured, and where the first sample is long in coming.
bool records_stand_in(const Study& study);

// What is to be known of the worker with all that it has measured: that it is of another revision than this program,
// and what is not as it should be; "" for neither.
std::string worker_remarks(const Study& study);

// The state with layer size, type, layouts and timing of the closest record of its live run: the run itself, options
// included, on the same layer. Nothing where there is none.
std::optional<State> recorded_state(const State& state, const Records& records);

// Where not even that is recorded, the record to be shown instead: of the live run's row, else of one of the chosen
// runs, as much like what is asked for as there is; of any row only where none of these is recorded on this layer.
const Curve* closest_record(const State& state, const Records& records);

// What two states measure differently: "N = 1, f32, NCHW, whole call" of the first; "" where nothing.
std::string asked_differently(const State& asked, const State& recorded);

// Which of the rates in a chart are recorded, and on what: "5 of 9 rates recorded, not measured, on AMD …". "" where
// none is, and where all are of the source that is said of `shown` anyway. Each counts once, null pointers not.
std::string recorded_among(const std::vector<const Curve*>& points, const Curve* shown);

// The layers of which there are records: "cv1, cv2, cv3"; "" for none.
std::string recorded_layers(const Records& records);

// "N = 256, f32, NHWC, cold caches".
std::string settings_text(const worker::Job& job);

// "call", "kernel" or "cold", and the same for people.
std::string timed_of(const worker::Job& job);
std::string timed_title(const std::string& timed);

// How far samples are apart, (third quartile − first quartile) / median, as it follows a rate: ", spread 4 %"; beyond
// the median itself in words, for then the number says nothing; "" for NaN.
std::string spread_text(double spread);

// One bar of the waterfall: the live run, or that with other options.
struct Contribution {
  std::string text;  // which options: "as it is", "Double buffering = off"
  worker::Job job;
  const Option* option = nullptr;  // of a single switch
  const Curve* curve = nullptr;    // what is known of it; null for nothing
};

struct Contributions {
  std::vector<Contribution> bars;    // the live run first
  std::vector<std::string> missing;  // of a recorded live run: the switches that nobody has recorded
};

// Of a live run that is measured, every switch flipped, known or not. Of one that is recorded, all that was recorded
// with it: switches, and any other option sets of its row.
Contributions contributions(const Comparisons& compared, const Study& study, const Records& records);

}  // namespace convlens::viewer
