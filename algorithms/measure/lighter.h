// A row with less memory: other values of its options than those that do not fit a memory limit.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens {

struct Lighter {
  std::vector<std::shared_ptr<const Plan>> plans;  // that fit the limit, each by as few changes as do
  std::shared_ptr<const Plan> smallest;            // where none does: what comes closest
};

// `request` has a memory limit that the row's plan for it exceeds, and breaks no other rule. Listed values of options
// that are at their defaults are tried one by one, by what plans say of their workspace: nothing is run. Where no
// single one is enough, the value that saves most is kept, and the others are tried again.
Lighter lighter_plans(const Algorithm& row, const Request& request);

}  // namespace convlens
