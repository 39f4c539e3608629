// What `--measure` does before a picture or data: runs of the Performance panel are measured while nobody looks.
#pragma once

#include <optional>

#include "algorithms/error.h"
#include "viewer/ui/app.h"
#include "viewer/viewer.h"

namespace convlens::viewer {

// Each run of `options.measured_runs` is live for its part of `options.measure_seconds`, from its first sample on;
// then, for as long again, what the last of them is compared with. What that leaves out is said through `options.say`.
//
// Where it is interrupted it leaves what it has, and says so. Where the worker is not there, ends or falls silent
// (NoDevice), or speaks another version (Unsupported), that is the failure, beside what was measured before. Throws in
// one line where a run cannot be measured, as the worker refuses it.
struct Measured {
  bool anything = false;         // is there to be written
  std::optional<Error> failure;  // to be thrown when that is done
};
Measured measure_runs(App& app, const ViewOptions& options);

}  // namespace convlens::viewer
