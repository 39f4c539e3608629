// What can be said about cuDNN's limits without asking it.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

std::vector<Rule> cudnn_rules();         // of every call
std::vector<Rule> cudnn_legacy_rules();  // those, and what the legacy interface has no words for

// As documented for WINOGRAD (3×3) and WINOGRAD_NONFUSED (3×3 and, for f32, 5×5).
std::vector<Rule> cudnn_winograd_rules(std::int64_t most_taps);

}  // namespace convlens::gpu
