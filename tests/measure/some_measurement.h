// Measurements for tests, with times that are given, not taken.
#pragma once

#include "algorithms/interface/registry.h"
#include "algorithms/measure/record.h"

namespace convlens {

inline std::shared_ptr<const Plan> some_plan(const ConvSpec& spec) {
  return algorithms().front()->plan({.problem = ConvProblem(spec)});
}

// FLOPs 7560; a median of 2.5 ms.
inline std::shared_ptr<const Plan> some_plan() {
  return some_plan({.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3});
}
inline Measurement some_measurement(const Plan& plan) {
  return {.plan = plan,
          .layer = "cv9",
          .timing = {.samples_ms = {4, 1, 3, 2}, .warmup = 2},
          .bytes = planned_bytes(plan),
          .floor_fraction = 0.5};
}

}  // namespace convlens
