// The ruler on a GPU: the same protocol for every call, ours and the vendor's.
//
// Each call is recorded as a graph, so that what its host code costs (a vendor's call takes up to 0.1 ms) is not
// measured. Samples are taken round by round, one of every call, with the same rest before each. Two events on the
// stream enclose it:
//
//   cold   overwrite more than twice the L2 cache │ start │ the call, once │ stop
//   warm   the calls of the sample, untimed       │ start │ the call, as often as fills a millisecond │ stop
//
// What stands left of the bar keeps the GPU busy while the host queues the rest, so that the timed part begins at once.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/ruler.h"

namespace convlens::gpu {

// On the current GPU, whose L2 cache has `l2` bytes.
std::vector<Timing> measure(const std::vector<std::function<void(Stream)>>& calls, const RulerOptions& options,
                            std::int64_t l2);

}  // namespace convlens::gpu
