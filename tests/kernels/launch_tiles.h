// Which cells of y the blocks of a row's last launch say that they compute.
#pragma once

#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"
#include "tests/catch.h"
#include "tests/support/boxes.h"

namespace convlens::testing {

inline const gpu::Launch& product(const Plan& plan) { return std::get<gpu::Launch>(plan.program()->steps.back()); }

// How often each cell of y is in a tile, in NCHW order.
inline std::vector<int> times_computed(const Plan& plan) {
  const Coord extent = extents(plan.problem().y_shape());
  std::vector<int> times(static_cast<std::size_t>(elements(plan.problem().y_shape())));
  for (std::int64_t block = 0; block < product(plan).grid.x; ++block)
    for (const Box& box : product(plan).tiles({block})) {
      REQUIRE(within(box, extent));
      for_each(box, [&](const Coord& at) { ++times[static_cast<std::size_t>(flat(at, extent))]; });
    }
  return times;
}

}  // namespace convlens::testing
