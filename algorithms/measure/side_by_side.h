// Several plans of one layer, type, set of layouts and device, measured side by side.
//
// They share x, w, bias and y, and one workspace, as large as the largest of them. Their samples are interleaved, round
// by round, so that slow drifts of clock and temperature meet all alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/measure/ruler.h"

namespace convlens {

struct Outcome {
  std::shared_ptr<const Plan> plan;
  std::string refused{};              // why it could not be measured ("memory: …"), or ""
  Timing timing{};                    // without samples when it was refused
  std::vector<Ledger::Line> bytes{};  // of the tensors, and of what the plan uses of the workspace
  std::int64_t taken = 0;             // bytes of the device's memory that its first run took besides, and kept
};

// One outcome a plan, in their order. A plan that fails, for lack of memory or otherwise, is refused and the others go
// on. Each runs once before the measurement, so that the first sample is no slower than the next. All must have the
// same problem, type, layouts and place, a device; throws NoDevice when that is not there.
std::vector<Outcome> measure_side_by_side(const std::vector<std::shared_ptr<const Plan>>& plans, std::uint64_t seed,
                                          const RulerOptions& options);

}  // namespace convlens
